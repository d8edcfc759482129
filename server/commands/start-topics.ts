import type { Deps } from "../work/deps.ts";
import { listenToTopics } from "../work/listener.ts";
import { localTopics, type Topics } from "../work/topics.ts";

/** Sends and receives messages where other processes may serve the database. */
export function startTopics(deps: Pick<Deps, "store" | "nodes" | "loops">): {
  topics: Topics;
  stopTopics: () => Promise<void>;
} {
  if (!deps.store.engine.isShared) return { topics: localTopics, stopTopics: async () => {} };
  const topics = listenToTopics(deps);
  deps.loops.onWakeElsewhere(topics.workIsDue);
  return { topics, stopTopics: topics.stop };
}
