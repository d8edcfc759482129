import { createStore, type Engine } from "../../server/db/store.ts";
import type { Clock } from "../../server/lib/clock.ts";
import { startCheckLoop } from "../../server/monitor/checker.ts";
import type { SiteHolds } from "../../server/monitor/site-holds.ts";
import type { KnownLink } from "../../server/verdict/confirm.ts";
import type { Conclusion } from "../../server/verdict/probe/conclusion.ts";
import type { Nodes } from "../../server/work/nodes.ts";
import { type MovableClock, movableClock } from "../clock.ts";
import type { TestServer } from "../harness.ts";
import { saw } from "./ended.ts";

/** How often a loop looks for what is due. */
const POLL_MS = 1000;

/** A clock whose wall time somebody sets. */
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
  /** Whether something real is under way that a second on the clock must wait for. */
  isBusy?: () => boolean;
};

/** The check loop on a clock that stands until it is moved; what is beyond it is played. */
export function playLoop<C extends MovableClock>(
  { deps, config }: TestServer,
  { clock, check, places = 200, nodes = deps.nodes, holds, isBusy = () => false }: Options<C>,
) {
  const { engine, underWay } = counted(deps.store.engine);
  const begun: { id: string; at: number; second: number }[] = [];
  let second = 0;
  const loop = startCheckLoop({
    ...deps,
    nodes,
    ...(holds && { holds }),
    store: createStore(engine),
    clock,
    config: { ...config, checkConcurrency: places },
    check: (link, signal) => {
      begun.push({ id: link.id!, at: clock.now(), second });
      return check(link, signal);
    },
  });
  const looks = () => clock.slept.filter((ms) => ms === POLL_MS).length;
  /** Lets the loop do what it can now: no time goes by while the database works. */
  async function rests(before: number) {
    do await Bun.sleep(0);
    while (looks() <= before || underWay() > 0 || isBusy());
  }
  return {
    clock,
    /** The checks that were begun, in their order. */
    begun,
    countOf: (ofSecond: number) => begun.filter((each) => each.second === ofSecond).length,
    /** Its first look. */
    begins: () => rests(0),
    async seconds(count: number) {
      for (let i = 0; i < count; i++) {
        second += 1;
        const before = looks();
        clock.moveBy(1000);
        await rests(before);
      }
    },
    stop: loop.stop,
  };
}

/** The same database, and how many statements it is working on. */
function counted(engine: Engine) {
  let count = 0;
  const counting = async <T>(work: Promise<T>): Promise<T> => {
    count += 1;
    return work.finally(() => {
      count -= 1;
    });
  };
  const run: Engine["run"] = (query) => counting(engine.run(query));
  const alone: Engine["alone"] = (name, work) => counting(engine.alone(name, work));
  const transaction: Engine["transaction"] = (work) => counting(engine.transaction(work));
  return { engine: { ...engine, run, alone, transaction }, underWay: () => count };
}

/** A check that takes so long, and then says what it saw; or until it is given up. */
export const takes =
  (clock: Clock, ms: number, seen: Conclusion) =>
  async (_: KnownLink, signal: AbortSignal): Promise<Conclusion> => {
    await clock.sleep(ms, signal);
    return signal.aborted ? saw("check_aborted") : seen;
  };
