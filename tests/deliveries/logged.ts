import {
  type DeliveryRow,
  deliveries,
  type EventRow,
  events,
} from "../../server/ground/db/tables.ts";
import { newId } from "../../server/ground/lib/ids.ts";
import { chunksOf } from "../../server/ground/lib/steps.ts";
import type { Asker, TestServer } from "../harness.ts";

/** As many as one statement takes with all their columns. */
const ROWS = 500;

/** A delivery that was made at once, as it is logged. */
const USUAL: Omit<DeliveryRow, "webhookId" | "eventId" | "createdAt"> = {
  type: "link.created",
  status: "succeeded",
  resting: null,
  attempts: 1,
  unplannedAttempts: 0,
  nextAttemptAt: null,
  dueAt: null,
  lease: null,
  digestId: null,
  completedAt: null,
  lastTrigger: "scheduled",
  lastStartedAt: 0,
  lastDurationMs: 12,
  lastStatusCode: 204,
  lastError: null,
  lastContentType: null,
  lastBody: null,
  lastTruncated: false,
  ofBatch: false,
};

/** What a delivery has that was not tried yet. */
export const UNTRIED = {
  status: "pending",
  attempts: 0,
  lastTrigger: null,
  lastStartedAt: null,
  lastDurationMs: null,
  lastStatusCode: null,
  lastTruncated: null,
} as const;

/** The id of a delivery in the log, created now if not said otherwise. */
export async function addDelivery(
  server: TestServer,
  me: Pick<Asker, "accountId">,
  webhookId: string,
  more: Partial<DeliveryRow> = {},
): Promise<string> {
  const [id] = await addDeliveries(server, me, webhookId, [more]);
  return id!;
}

/** The same of many; their ids, oldest first. */
export async function addDeliveries(
  { deps: { store }, clock }: TestServer,
  { accountId }: Pick<Asker, "accountId">,
  webhookId: string,
  all: Partial<DeliveryRow>[],
): Promise<string[]> {
  const rows: DeliveryRow[] = all.map((more) => ({
    ...USUAL,
    webhookId,
    eventId: newId(),
    createdAt: clock.now(),
    ...more,
  }));
  const happened: EventRow[] = rows.map(({ eventId: id, type, createdAt }) => ({
    id,
    accountId,
    type,
    createdAt,
    data: "{}",
  }));
  await store.write([
    ...chunksOf(ROWS, happened).map((some) => store.insert(events).values(some)),
    ...chunksOf(ROWS, rows).map((some) => store.insert(deliveries).values(some)),
  ]);
  return rows.map(({ eventId }) => eventId);
}

/** The log of a webhook as the API tells it. */
export const logOf = async (me: Asker, path: string, query = "") =>
  (await me.get(`${path}/deliveries${query}`)).body.data.items;
