import { createService } from "../../server/app/app.ts";
import type { Engine } from "../../server/ground/db/store.ts";
import { listenToTopics, type Topics } from "../../server/work/topics.ts";
import { startServer, type TestServer } from "../harness.ts";
import { createWatch } from "../waits.ts";

/** One of several servers on one PostgreSQL, which tells the others what happens. */
export type LiveNode = TestServer & {
  /** How often others asked its loops to look for work. */
  woken(): number;
  /** Resolves once it hears its own messages. */
  connected(): Promise<void>;
};

type LiveNodeSettings = {
  /** The node whose database it shares. */
  sharing?: TestServer;
  /** What its way to the database does otherwise. */
  engine?: Partial<Engine>;
};

export async function startLiveNode({
  sharing,
  engine = {},
}: LiveNodeSettings = {}): Promise<LiveNode> {
  const shared = sharing && { STILLUP_DATABASE_URL: sharing.config.databaseUrl };
  const server = await startServer("postgres", shared);
  const { deps } = server;
  const store = { engine: { ...deps.store.engine, ...engine } };
  const news = listenToTopics({ ...deps, store });
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
  const connected = () => whenConnected(news);
  return { ...server, url, front, stop, woken: () => woken, connected };
}

/** Resolves once the messages that a node sends come back to it. */
export function whenConnected(news: Topics): Promise<void> {
  const watch = createWatch();
  // It is connected right after it has said that it may have missed something.
  const changed = () => queueMicrotask(watch.changed);
  news.subscribe({ changed, counted: () => {} });
  return watch.when(news.isConnected, () => "the node's own messages");
}
