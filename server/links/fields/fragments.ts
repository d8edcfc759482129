import { sql } from "drizzle-orm";
import * as z from "zod";
import { oneOf } from "../../ground/lib/fields.ts";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import { FRAGMENT_STATES } from "../../ground/lib/vocabulary.ts";
import { fragmentsIn, type KnownFragment } from "../../judge/fragments.ts";
import { field } from "./field.ts";

type Part = { fragments: KnownFragment[] };

/** Added with URLs and places, and looked for by checks. */
export const fragments = field({
  columns: {},
  joined: { fragments: "details.fragments" },
  read: ({ fragments }): Part => ({ fragments: fragmentsIn(fragments) }),
  write: () => ({}),
  isListed: false,
  shown: {
    fragments: z
      .array(
        z.object({
          fragment: z.string(),
          state: z.enum(FRAGMENT_STATES),
          found_at: z.string().nullable(),
          missing_since: z.string().nullable(),
          alike: z.array(z.string()),
        }),
      )
      .meta({
        description:
          "What follows `#` in the link's URL and where it stands, 20 at most. `missing` with `missing_since`: it was found once, and is not there any more. `missing` without it: no check has found it. `alike`: ids of the page that look like one that is missing.",
      }),
  },
  example: { fragments: [] },
  show: (part) => ({
    fragments: part.fragments.map(({ fragment, state, foundAt, missingSince, alike }) => ({
      fragment,
      state,
      found_at: toIsoOrNull(foundAt),
      missing_since: toIsoOrNull(missingSince),
      alike: state === "missing" ? alike : [],
    })),
  }),
  filters: {
    fragment: oneOf(["missing"])
      .meta({
        description:
          "`missing`: only links whose page had what follows `#` and does not have it any more.",
      })
      .optional(),
  },
  condition: ({ fragment }, { accountNo }) =>
    fragment
      ? sql`links.no in (select link_no from link_details
          where account_no = ${accountNo} and missing_fragments > 0)`
      : undefined,
  isFew: ({ fragment }) => fragment !== undefined,
});
