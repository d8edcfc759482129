import type { Deps } from "../work/deps.ts";
import { listenForNews } from "../work/listen.ts";

/** Tells and hears from now on, where other processes may serve the database; gives what ends it. */
export function startNews(deps: Deps): () => Promise<void> {
  if (!deps.store.engine.isShared) return async () => {};
  const news = listenForNews(deps);
  deps.news = news;
  return news.stop;
}
