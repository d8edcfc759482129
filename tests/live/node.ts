import { createService } from "../../server/app/app.ts";
import type { Engine } from "../../server/db/store.ts";
import { listenToTopics } from "../../server/work/topics.ts";
import { startServer, type TestServer } from "../harness.ts";

/** One of several servers on one PostgreSQL, which tells the others what happens. */
export type LiveNode = TestServer & {
  /** How often its loops were told to look for work by others. */
  woken(): number;
};

type LiveNodeSettings = {
  /** The node whose database it shares. */
  beside?: TestServer;
  /** What its way to the database does otherwise. */
  engine?: Partial<Engine>;
  /** Between two signs of its own. */
  beatMs?: number;
};

export async function startLiveNode({
  beside,
  engine = {},
  beatMs,
}: LiveNodeSettings = {}): Promise<LiveNode> {
  const shared = beside && { STILLUP_DATABASE_URL: beside.config.databaseUrl };
  const server = await startServer("postgres", shared);
  const { deps } = server;
  const store = { engine: { ...deps.store.engine, ...engine } };
  const news = listenToTopics({ ...deps, store }, beatMs);
  Object.assign(deps, { topics: news });
  deps.loops.onWakeElsewhere(news.workIsDue);
  let woken = 0;
  deps.loops.onWake(() => {
    woken++;
  });
  const { front, live } = await createService(deps);
  const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: front, idleTimeout: 60 });
  const url = `http://127.0.0.1:${listener.port}`;
  const stop = async () => {
    live.close();
    await listener.stop(true);
    await news.stop();
    await server.stop();
  };
  return { ...server, url, front, stop, woken: () => woken };
}
