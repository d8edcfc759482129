import { createStore, type Engine } from "../../server/ground/db/store.ts";
import type { Clock } from "../../server/ground/lib/clock.ts";
import type { KnownLink } from "../../server/judge/confirm.ts";
import type { Online } from "../../server/judge/online/online.ts";
import type { Conclusion } from "../../server/judge/probe/conclusion.ts";
import { startCheckLoop } from "../../server/monitor/checker.ts";
import type { SiteHolds } from "../../server/monitor/site-holds.ts";
import type { Nodes } from "../../server/work/nodes.ts";
import { type MovableClock, movableClock } from "../clock.ts";
import type { TestServer } from "../harness.ts";
import { waitFor } from "../waits.ts";
import { saw } from "./ended.ts";
import { createUnderWay, type UnderWay } from "./under-way.ts";

/** How often a loop looks for what is due. */
const POLL_MS = 1000;

/** A clock whose wall time is set by hand. */
type SetClock = MovableClock & { setBy(ms: number): void };

export function setClock(start: number): SetClock {
  const clock = movableClock(start);
  let setMs = 0;
  return {
    ...clock,
    now: () => clock.now() + setMs,
    setBy: (ms) => {
      setMs += ms;
    },
  };
}

type Options<C extends MovableClock> = {
  clock: C;
  check: (link: KnownLink, signal: AbortSignal) => Promise<Conclusion>;
  places?: number;
  /** Where several share the work. */
  nodes?: Nodes;
  holds?: SiteHolds;
  online?: Online;
  /** What is real beyond the database, and what a second on the clock must wait for. */
  underWay?: UnderWay;
};

/** The check loop on a clock that stands until it is moved; what is beyond it is played. */
export function playLoop<C extends MovableClock>(
  { deps, config }: Pick<TestServer, "deps" | "config">,
  { clock, check, places = 200, holds, underWay = createUnderWay(), ...parts }: Options<C>,
) {
  const begun: { id: string; at: number; second: number }[] = [];
  let second = 0;
  const loop = startCheckLoop({
    ...deps,
    ...parts,
    ...(holds && { holds: { ...holds, save: () => underWay.during(holds.save()) } }),
    store: createStore(counted(deps.store.engine, underWay)),
    clock,
    config: { ...config, checkConcurrency: places },
    check: (link, signal) => {
      begun.push({ id: link.id!, at: clock.now(), second });
      return check(link, signal);
    },
  });
  /** Lets the loop do what it can now: no time passes while the database works. */
  async function rests() {
    await underWay.none();
    await clock.sleeping(POLL_MS);
    await underWay.none();
  }
  async function seconds(count: number) {
    for (let i = 0; i < count; i++) {
      second += 1;
      const looked = clock.nextSleep(POLL_MS);
      clock.moveBy(1000);
      await looked;
      await rests();
    }
  }
  return {
    clock,
    /** The checks that were begun, in their order. */
    begun,
    countOf: (ofSecond: number) => begun.filter((each) => each.second === ofSecond).length,
    /** Its first look. */
    begins: rests,
    rests,
    seconds,
    /** One second after another, until this is so. */
    until(what: string, isSo: () => boolean | Promise<boolean>) {
      const passing = async () => {
        while (!(await isSo())) await seconds(1);
      };
      return waitFor(passing(), () => `${what}; second: ${second}, begun: ${begun.length}`);
    },
    stop: loop.stop,
  };
}

/** The same database, whose statements are counted while it works on them. */
function counted(engine: Engine, { during }: UnderWay): Engine {
  return {
    ...engine,
    run: (query) => during(engine.run(query)),
    runInReadPool: (query) => during(engine.runInReadPool(query)),
    alone: (name, work) => during(engine.alone(name, work)),
    transaction: (work) => during(engine.transaction(work)),
  };
}

/** A check that takes so long, and then says what it saw; or until it is given up. */
export const takes =
  (clock: Clock, ms: number, seen: Conclusion) =>
  async (_: KnownLink, signal: AbortSignal): Promise<Conclusion> => {
    await clock.sleep(ms, signal);
    return signal.aborted ? saw("check_aborted") : seen;
  };
