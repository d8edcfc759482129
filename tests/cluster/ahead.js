// Loaded by a node whose clock is to be wrong: the time of day is shifted, the time that has passed is not.
const { BUN_AHEAD_MS: AHEAD_MS } = process.env;
const RealDate = Date;
const ahead = Number(AHEAD_MS);

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + ahead);
    else super(...given);
  }

  static now() {
    return RealDate.now() + ahead;
  }
};
