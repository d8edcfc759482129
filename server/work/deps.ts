import type { Config } from "../ground/config/config.ts";
import type { Store } from "../ground/db/store.ts";
import type { Clock } from "../ground/lib/clock.ts";
import type { SecretBox } from "../ground/lib/secret-box.ts";
import type { Troubles } from "../ground/lib/troubles.ts";
import type { MailServer } from "../ground/net/mail.ts";
import type { Outbound } from "../ground/net/request.ts";
import type { CheckLink } from "../judge/create-check.ts";
import type { Online } from "../judge/online/online.ts";
import type { Catalogue } from "../judge/services/catalogue.ts";
import type { ReadSource } from "../read/crawl/job.ts";
import type { Loops } from "./loops.ts";
import type { Metrics } from "./metrics.ts";
import type { Nodes } from "./nodes.ts";
import type { Topics } from "./topics.ts";

/** What verbs depend on. It is made once; a function that needs little takes `Pick<Deps, …>`. */
export type Deps = Readonly<{
  store: Store;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
  /** For deliveries; checks have a client of their own, with their own policy. */
  webhookOutbound: Outbound;
  /** The operator's mail server; null if the settings name none. */
  mail: MailServer | null;
  /** Whether this monitor is online. */
  online: Online;
  /** Runs a trial, in a process of any role. */
  tryLink: CheckLink;
  /** Reads a step of a source, in a process of any role. */
  readSource: ReadSource;
  /** The services that links belong to, the operator's own included. */
  catalogue: Catalogue;
  /** Current problems of this installation. */
  troubles: Troubles;
  /** What this process counts for Prometheus. */
  metrics: Metrics;
  /** The processes that serve the database, and this one's share of the work. */
  nodes: Nodes;
  /** Messages between the processes that serve the database. */
  topics: Topics;
  loops: Loops;
}>;

/**
 * Stores the reply of a request with an idempotency key, in the transaction of the change that it describes. Does
 * nothing for a request without a key.
 * @throws Duplicate when an equal request in another process has committed first
 */
export type SaveReply<T> = (tx: Store, result: T) => Promise<void>;

export const saveNoReply: SaveReply<unknown> = async () => {};
