import * as z from "zod";
import { EVENT_TYPES, type EventType } from "../../db/tables.ts";
import { EVENT_DATA } from "../../webhooks/events/payloads.ts";
import type { Sampler } from "./samples.ts";
import { type Describer, SCHEMA_REFERENCE } from "./schemas.ts";
import type { Operation, Parameter, Schema } from "./types.ts";

const ABOUT: Record<EventType, { summary: string; description: string }> = {
  "link.dead": {
    summary: "A link's status changed to dead",
    description: "Sent when a link is found dead and was not the last time it was decided.",
  },
  "link.alive": {
    summary: "A link's status changed to alive",
    description:
      "Sent when a link is found alive and was not the last time it was decided. A webhook with " +
      "`first_verdicts` also gets it when a new link is first found alive.",
  },
  "link.created": {
    summary: "A new link was created",
    description: "One for each link, also of a batch; `batchId` then names the batch.",
  },
  "link.deleted": {
    summary: "A link was deleted",
    description: "Holds all that is left to know, since the link can no longer be read.",
  },
  "check.complete": {
    summary: "A check of one link completed",
    description: "Sent after every check, whether or not the status changed.",
  },
  "batch.complete": {
    summary: "All checks of a batch completed",
    description:
      "Sent once for each batch: the first checks of links that were made together, or the checks " +
      "that were asked for together. `checked + skipped = total`, and `active + dead + unknown = " +
      "checked`; links that were deleted before their check are skipped.",
  },
};

const SIGNED: Parameter[] = [
  {
    name: "webhook-id",
    in: "header",
    required: true,
    description: "Names the message; the same on every attempt, so that you can drop repetitions.",
    schema: { type: "string" },
    example: "msg_01J9ZK3V5Q8M7N6P4R2S1T0W9X",
  },
  {
    name: "webhook-timestamp",
    in: "header",
    required: true,
    description: "Unix second of this attempt.",
    schema: { type: "string", pattern: "^[0-9]+$" },
    example: "1767225600",
  },
  {
    name: "webhook-signature",
    in: "header",
    required: true,
    description:
      "Signatures of Standard Webhooks 1.0.0, separated by spaces. One of them is enough.",
    schema: { type: "string" },
    example: "v1,qLzgVKcy4YjFnEIkjpWa5a3i//CZCMHJDV0826rUZMA=",
  },
];

/** `link.dead` → `LinkDeadEvent`. */
const eventSchemaName = (type: string) =>
  `${type.replace(/(?:^|\.)(.)/g, (_, letter: string) => letter.toUpperCase())}Event`;

/** The messages that are sent to webhooks, for `webhooks` of the document. */
export const describeEvents = (describer: Describer, sample: Sampler) =>
  Object.fromEntries(
    EVENT_TYPES.map((type) => [type, { post: describeEvent(type, describer, sample) }]),
  );

function describeEvent(type: EventType, { describe, named }: Describer, sample: Sampler) {
  const name = eventSchemaName(type);
  const schema = describe(envelope(type), "input");
  const example = sample(schema, type);
  named[name] = withTestMark(schema);
  const operation: Operation = {
    operationId: `receive${name}`,
    ...ABOUT[type],
    tags: ["Events"],
    security: [],
    parameters: SIGNED,
    requestBody: {
      required: true,
      content: { "application/json": { schema: { $ref: SCHEMA_REFERENCE + name }, example } },
    },
    responses: {
      "2XX": {
        description: "You have it. Anything else is tried again later; 410 stops the webhook.",
      },
    },
  };
  return operation;
}

/** Described as input: receivers must bear fields that a later version adds. */
const envelope = (type: EventType) =>
  z.object({
    event: z.literal(type),
    timestamp: z.string(),
    webhookId: z.uuid(),
    data: EVENT_DATA[type],
  });

function withTestMark(schema: Schema): Schema {
  const data = schema.properties!.data!;
  const test = { type: "boolean", const: true, description: "Only in test deliveries." };
  const marked = { ...data, properties: { ...data.properties, test } };
  return { ...schema, properties: { ...schema.properties, data: marked } };
}
