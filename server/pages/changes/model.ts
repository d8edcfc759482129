import * as z from "zod";
import { id, moment, oneOf, queryNumber, text } from "../../ground/lib/fields.ts";
import { CHANGE_KINDS } from "../../ground/lib/vocabulary.ts";

const LATEST = 20;

export const ChangesQuery = z.object({
  kind: oneOf(CHANGE_KINDS).meta({ description: "Only changes of this kind." }).optional(),
  group_id: id().meta({ description: "Only links that were in this group." }).optional(),
  site: text(253).toLowerCase().meta({ description: "Only links of this site." }).optional(),
  since: moment().optional().meta({ description: "Only changes at or after this moment." }),
  before: moment().optional().meta({
    description: "Only changes at or before this moment: the `next` of the reply before.",
  }),
  per_page: queryNumber(100).meta({ description: "Entries per page." }).optional().default(LATEST),
});
export type ChangesQuery = z.output<typeof ChangesQuery>;

/** Deliveries to one webhook that are in the same state. */
const Message = z.object({
  webhook_id: z.uuid(),
  name: z.string().nullable().meta({ example: "Docs" }),
  host: z.string().meta({ example: "ops.example.com" }),
  format: z.string().meta({ example: "slack" }),
  state: z.enum(["sent", "pending", "digest", "failed"]),
  count: z.int(),
});
export type Message = z.infer<typeof Message>;

export const ChangeEntry = z
  .object({
    id: z.string().meta({ example: "1893456000000-17" }),
    kind: z.enum(CHANGE_KINDS),
    changed_at: z.string().meta({ format: "date-time" }),
    site: z.string().meta({ example: "example.com" }),
    host: z.string().meta({ example: "docs.example.com" }).nullable(),
    reason: z.string().meta({ example: "http_404" }),
    cause: z.string().nullable(),
    count: z.int(),
    lasted_ms: z.int(),
    final_url: z.string().nullable(),
    links: z.array(
      z.object({ id: z.uuid(), url: z.string().meta({ example: "https://docs.example.com/a" }) }),
    ),
    messages: z.array(Message),
  })
  .meta({ id: "ChangeEntry" });
export type ChangeEntry = z.infer<typeof ChangeEntry>;

export const ChangesPage = z.object({
  items: z.array(ChangeEntry),
  next: z.string().meta({ format: "date-time" }).nullable(),
});
export type ChangesPage = z.infer<typeof ChangesPage>;
