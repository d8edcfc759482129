import { and, eq } from "drizzle-orm";
import { linkChecks } from "../../server/app/build.ts";
import { sourceRuns, sources } from "../../server/ground/db/tables.ts";
import type { Clock } from "../../server/ground/lib/clock.ts";
import type { Online } from "../../server/judge/online/online.ts";
import { startSourceLoop } from "../../server/sources/loop.ts";
import type { Asker, Parsed, TestServer } from "../harness.ts";
import { until } from "../until.ts";

export const SOURCES = "/api/v1/sources";

const isLatest = and(eq(sourceRuns.sourceNo, sources.no), eq(sourceRuns.runNo, sources.runNo));

/** Sleeps until the test has moved the clock far enough. */
export const sleepBy =
  ({ elapsed }: Clock): Clock["sleep"] =>
  async (ms, signal) => {
    const endAt = elapsed() + ms;
    while (!signal?.aborted && elapsed() < endAt) await Bun.sleep(5);
  };

/** Reads the sources of a server until it is stopped. */
export function startReading(server: TestServer, online: Online = server.deps.online) {
  // It would run on without end if its pauses passed at once.
  const clock = { ...server.clock, sleep: sleepBy(server.clock) };
  const made = { ...server.deps, clock, online };
  const { read } = linkChecks(made, { worstSince: () => 0 });
  const loop = startSourceLoop({ ...made, readSource: read });

  /** Waits until no run of a source is under way. */
  async function ended(me: Asker, id: string): Promise<Parsed> {
    loop.wake();
    const look = async () => {
      // A site that has failed is asked more slowly.
      server.clock.moveBy(100);
      const [run] = await server.deps.store
        .select({ endedAt: sourceRuns.endedAt })
        .from(sources)
        .innerJoin(sourceRuns, isLatest)
        .where(eq(sources.id, id));
      return run?.endedAt;
    };
    await until("the end of the run", look, { everyMs: 20 });
    return (await me.get(`${SOURCES}/${id}`)).body.data;
  }

  return {
    ended,
    /** Adds a source, and waits for its first run. */
    async add(me: Asker, source: Record<string, unknown>): Promise<Parsed> {
      const { status, body } = await me.post(SOURCES, { name: "Docs", ...source });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return ended(me, body.data.id);
    },
    /** Reads a source once more. */
    async again(me: Asker, id: string, body: object = {}): Promise<Parsed> {
      await me.post(`${SOURCES}/${id}/run`, body);
      return ended(me, id);
    },
    wake: loop.wake,
    stop: loop.stop,
  };
}
