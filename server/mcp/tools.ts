import type * as z from "zod";
import type { Ask, Json, Operations } from "./operations.ts";

/** What an assistant can call. */
export type Tool = {
  name: string;
  title: string;
  /** When to use it, and what it does. */
  description: string;
  input: z.ZodObject;
  output: z.ZodType;
  does: "reads" | "adds" | "changes" | "deletes";
  /** @throws what a route refuses */
  call(ask: Ask, given: Json): Promise<Json>;
  /** A sentence about the result, without any text of others. */
  says(result: Json): string;
};

/** Every tool, as a list that assistants read from top to bottom. */
export const toolsOf = (operations: Operations): Tool[] => [findLinks(operations)];

const findLinks = (operations: Operations): Tool => ({
  name: "find_links",
  title: "Find links",
  description:
    "Lists watched links by status, reason, site, group, tag, source, text or handling. Use it to get the ids that other tools need. Filters are combined with AND; `attention: true` lists the dead links that no one has acknowledged or muted.",
  input: operations("listLinks").query,
  output: operations("listLinks").reply,
  does: "reads",
  call: (ask, query) => ask("listLinks", { query }),
  says: ({ pagination: { page, total, total_pages: pages } }) =>
    `Page ${page} of ${pages}; ${total} links in all.`,
});
