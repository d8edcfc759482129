import { sql } from "drizzle-orm";
import * as z from "zod";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import { VERDICTS, type Verdict } from "../../ground/lib/vocabulary.ts";
import { Evidence, type StoredEvidence, toEvidence } from "../../judge/probe/conclusion.ts";
import { messageOf, type Reason } from "../../judge/reasons/reasons.ts";
import { field } from "./field.ts";
import { filterFlag } from "./filter-flag.ts";

/** What a person overruled, as a check found it. */
export type Overruled = {
  status: Verdict;
  reason: string;
  status_code: number | null;
  /** The host of the final URL; null if there was none. */
  final_host: string | null;
};

/** A person's word that a link works, as it is stored. Times are in milliseconds since 1970. */
export type Override = {
  until: number;
  by: string;
  at: number;
  note: string;
  overruled: Overruled & { cause: string | null };
  /** Of the check that was overruled. */
  evidence: StoredEvidence | null;
};

type Until = { overrideUntil: number | null };

/** When the override of a link ends, by which lists find it. */
export const overrideUntil = field({
  columns: { override_until: "bigint" },
  read: ({ override_until: until }): Until => ({ overrideUntil: until as number | null }),
  write: (part) => ({ override_until: part.overrideUntil }),
  isListed: true,
  shown: { overridden_until: z.string().nullable() },
  example: { overridden_until: null },
  show: (part) => ({ overridden_until: toIsoOrNull(part.overrideUntil) }),
  filters: {
    overridden: filterFlag()
      .meta({ description: "`true`: only links with an override." })
      .optional(),
  },
  condition: ({ overridden }, { accountNo }) =>
    overridden
      ? sql`links.no in (select link_no from link_details
          where account_no = ${accountNo} and override_until is not null)`
      : undefined,
  isFew: ({ overridden }) => overridden === true,
});

type Part = { override: Override | null };

/** Set and ended by requests of its own, see `override.ts`. */
export const override = field({
  columns: { override: "text" },
  read: ({ override }): Part => ({
    override: override == null ? null : JSON.parse(override as string),
  }),
  write: ({ override }) => ({ override: override && JSON.stringify(override) }),
  isListed: false,
  shown: {
    override: z
      .object({
        until: z.string(),
        by: z.string(),
        at: z.string(),
        note: z.string(),
        overruled: z.object({
          status: z.enum(VERDICTS),
          reason: z.string(),
          message: z.string(),
          status_code: z.int().nullable(),
          final_host: z.string().nullable(),
        }),
        evidence: Evidence.nullable(),
      })
      .nullable(),
  },
  example: { override: null },
  show: ({ override }) => ({ override: override && shown(override) }),
});

function shown({ until, by, at, note, overruled, evidence }: Override) {
  const { status, reason, status_code, final_host, cause } = overruled;
  const message = messageOf(reason as Reason, status_code, cause as Reason | null);
  return {
    until: toIso(until),
    by,
    at: toIso(at),
    note,
    overruled: { status, reason, message, status_code, final_host },
    evidence: evidence && toEvidence(JSON.stringify(evidence)),
  };
}
