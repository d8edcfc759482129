import { sql } from "drizzle-orm";
import * as z from "zod";
import { field } from "./field.ts";

const SHOWN_STATES = ["doubted", "changed", "lost"] as const;

/** As in the condition of the index, which SQLite compares word by word. */
const SHOWN = sql.raw(`state in (${SHOWN_STATES.map((state) => `'${state}'`).join(", ")})`);

/** By which lists find links whose page is in doubt, or not the one that it was. */
export const identity = field({
  columns: {},
  read: () => ({}),
  write: () => ({}),
  isListed: false,
  shown: {},
  show: () => ({}),
  filters: {
    identity: z
      .enum(SHOWN_STATES, { error: `must be one of: ${SHOWN_STATES.join(", ")}` })
      .meta({
        description:
          "Only links whose page may be another (`doubted`), is another (`changed`), or whose domain may have a new owner (`lost`).",
      })
      .optional(),
  },
  condition: ({ identity }, { accountNo }) =>
    identity
      ? sql`links.no in (select link_no from page_memories
          where account_no = ${accountNo} and ${SHOWN} and state = ${identity})`
      : undefined,
  isFew: ({ identity }) => identity !== undefined,
});
