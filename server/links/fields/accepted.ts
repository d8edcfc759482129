import { sql } from "drizzle-orm";
import * as z from "zod";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import { field } from "./field.ts";
import { filterFlag } from "./filter-flag.ts";

type Part = { acceptedUrl: string | null; acceptedBy: string | null; acceptedAt: number | null };

/** The URL that a person wants in the place of the link's own. Stored and taken back by `repair/replace.ts`. */
export const accepted = field({
  columns: { accepted_url: "text", accepted_by: "text", accepted_at: "bigint" },
  read: (cells): Part => ({
    acceptedUrl: cells.accepted_url as string | null,
    acceptedBy: cells.accepted_by as string | null,
    acceptedAt: cells.accepted_at as number | null,
  }),
  write: (part) => ({
    accepted_url: part.acceptedUrl,
    accepted_by: part.acceptedBy,
    accepted_at: part.acceptedAt,
  }),
  isListed: true,
  shown: {
    accepted_url: z.string().nullable().meta({
      description:
        "The URL that a person wants in the place of this one, which the link's sources still have.",
    }),
    accepted_by: z.string().nullable(),
    accepted_at: z.string().nullable(),
  },
  example: { accepted_url: null, accepted_by: null, accepted_at: null },
  show: (part) => ({
    accepted_url: part.acceptedUrl,
    accepted_by: part.acceptedBy,
    accepted_at: toIsoOrNull(part.acceptedAt),
  }),
  compared: { accepted_url: ({ acceptedUrl }) => acceptedUrl },
  exported: { accepted_url: { cell: ({ acceptedUrl }) => acceptedUrl, example: "" } },
  filters: {
    accepted: filterFlag()
      .meta({ description: "`true`: only links with an `accepted_url`." })
      .optional(),
  },
  condition: ({ accepted }, { accountNo }) =>
    accepted
      ? sql`links.no in (select link_no from link_details
          where account_no = ${accountNo} and accepted_url is not null)`
      : undefined,
  isFew: ({ accepted }) => accepted === true,
});

/** The details of a link for which no URL was accepted. */
export const NOT_ACCEPTED: Part = { acceptedUrl: null, acceptedBy: null, acceptedAt: null };
