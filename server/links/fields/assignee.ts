import { sql } from "drizzle-orm";
import * as z from "zod";
import { id } from "../../ground/lib/fields.ts";
import { field } from "./field.ts";

const MINE = "me";
const PROBLEM = 'must be the id of a person of the account, or "me"';

const INPUT = {
  assignee_id: z
    .union([z.literal(MINE), id(PROBLEM)], { error: PROBLEM })
    .meta({
      description:
        "The id of a person of the account. `me` is the person who is signed in, and not for keys.",
    })
    .nullable()
    .optional(),
};

type Part = { assignee: { id: string; email: string } | null };

export const assignee = field({
  columns: { assignee_id: "text" },
  joined: { assignee_email: "users.email" },
  read: ({ assignee_id: id, assignee_email: email }): Part => ({
    assignee: email == null ? null : { id: id as string, email: email as string },
  }),
  write: ({ assignee }) => ({ assignee_id: assignee?.id ?? null }),
  isListed: true,
  shown: {
    assignee: z
      .object({ id: z.uuid(), email: z.string().meta({ example: "ada@example.org" }) })
      .nullable(),
  },
  example: { assignee: null },
  show: ({ assignee }) => ({ assignee }),
  creating: INPUT,
  changing: INPUT,
  changingMany: INPUT,
  after: (_before, { assignee_id: id }, { people }) =>
    id === undefined ? undefined : { assignee: people.get(id ?? "") ?? null },
  compared: { assignee_id: ({ assignee }) => assignee?.id },
  entry: ({ assignee }) => ({ kind: "assigned", detail: assignee?.email ?? null }),
  exported: {
    assignee: { cell: ({ assignee }) => assignee?.email ?? null, example: "ada@example.org" },
  },
  filters: {
    assignee: z
      .union([z.enum([MINE, "none"]), id()], 'must be the id of a person, "me" or "none"')
      .meta({
        description:
          "Only links of this person; `me` behind a sign-in, `none` for links of no one.",
      })
      .optional(),
  },
  condition({ assignee }) {
    if (!assignee) return undefined;
    return assignee === "none"
      ? sql`links.no not in (select link_no from link_details where assignee_id is not null)`
      : sql`links.no in (select link_no from link_details where assignee_id = ${assignee})`;
  },
  isFew: ({ assignee }) => assignee !== undefined && assignee !== "none",
});

/** How many links have each assignee, by their ids. */
export function countByAssignee(all: Part[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { assignee } of all)
    if (assignee) counts.set(assignee.id, (counts.get(assignee.id) ?? 0) + 1);
  return counts;
}
