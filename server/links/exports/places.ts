import { AppError } from "../../lib/errors.ts";

/** Under way at once: more would keep everybody else waiting, since each reads and writes text without pause. */
const MOST_OF_ACCOUNT = 2;
const MOST = 8;
const RETRY_AFTER_S = 10;

/** Who is exporting now. */
export type ExportPlaces = {
  /** @returns what leaves the place. @throws RATE_LIMITED, SERVICE_UNAVAILABLE when all places are taken */
  take(accountId: string): () => void;
};

export function createExportPlaces(): ExportPlaces {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(accountId) {
      const own = taken.get(accountId) ?? 0;
      if (own >= MOST_OF_ACCOUNT) throw accountHasAll();
      if (all >= MOST) throw othersHaveAll();
      taken.set(accountId, own + 1);
      all++;
      return () => {
        all--;
        const left = taken.get(accountId)! - 1;
        if (left > 0) taken.set(accountId, left);
        else taken.delete(accountId);
      };
    },
  };
}

/** Holds a place from the first step until the last, or until the client disconnects. */
export async function* inPlace<Step>(
  places: ExportPlaces,
  accountId: string,
  steps: AsyncGenerator<Step, void>,
): AsyncGenerator<Step, void> {
  const leave = places.take(accountId);
  try {
    yield* steps;
  } finally {
    leave();
  }
}

const WAIT = { "retry-after": String(RETRY_AFTER_S) };

const accountHasAll = () =>
  new AppError(
    "RATE_LIMITED",
    `Your account has ${MOST_OF_ACCOUNT} exports under way already. Try again when one of them has ended.`,
    { retryAfter: RETRY_AFTER_S, limit: MOST_OF_ACCOUNT, remaining: 0 },
    WAIT,
  );

const othersHaveAll = () =>
  new AppError(
    "SERVICE_UNAVAILABLE",
    "Too many exports are under way now. Try again in a moment.",
    undefined,
    WAIT,
  );
