import type { SQL } from "drizzle-orm";
import type { Config } from "../config/config.ts";
import type { Statement, Store } from "../db/store.ts";
import type { Clock } from "../lib/clock.ts";
import type { SecretBox } from "../lib/secret-box.ts";
import type { Troubles } from "../lib/troubles.ts";
import type { Outbound } from "../net/request.ts";
import type { Online } from "../verdict/online/online.ts";
import type { Catalogue } from "../verdict/services/catalogue.ts";
import type { Metrics } from "./metrics.ts";
import type { News } from "./news.ts";
import type { Nodes } from "./nodes.ts";

/** All that a verb may need. */
export type Deps = {
  store: Store;
  clock: Clock;
  config: Config;
  secrets: SecretBox;
  /** For deliveries; checks have one of their own, under their own policy. */
  webhookOutbound: Outbound;
  /** Whether it is us when nothing can be reached. */
  online: Online;
  /** The services that links belong to, with the operator's own. */
  catalogue: Catalogue;
  /** What is wrong with this installation now. */
  troubles: Troubles;
  /** What this process counts for whoever watches it. */
  metrics: Metrics;
  /** The processes that serve the database, and what part of the work is this one's. */
  nodes: Nodes;
  /** What processes that serve the database tell each other. */
  news: News;
  /** The loops of this process. */
  loops: Loops;
};

type Loops = {
  /** Says that work is due now, to every process: a link to check, or an event to deliver. */
  wake: () => void;
  /** Says so to the loops of this process alone, which set it. */
  wakeHere: () => void;
  /** Whether links are being checked. */
  checking: boolean;
  /**
   * When what is due was last looked for without trouble, or left as nothing may be written, by `elapsed()`; null
   * before that.
   */
  lookedForLinksAt: number | null;
  lookedForDeliveriesAt: number | null;
};

/**
 * Stores the reply of a request with an idempotency key, in the transaction of the change that it describes. Does
 * nothing for a request without a key.
 * @throws Duplicate when an equal request in another process has committed first
 */
export type SaveReply<T> = (tx: Store, result: T) => Promise<void>;

export const saveNoReply: SaveReply<unknown> = async () => {};

/**
 * Statements that store the reply of a request with an idempotency key, to be run in the same batch as the change
 * it describes. Without a key there are none. A change that is made on a condition passes it as `onlyIf`.
 */
export type Receipt<T> = (result: T, onlyIf?: SQL) => Statement[];

export const noReceipt: Receipt<unknown> = () => [];
