import { and, eq, type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { links } from "../../ground/db/tables.ts";
import { conflict } from "../../ground/lib/errors.ts";
import { moment, oneOf } from "../../ground/lib/fields.ts";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import { HANDLINGS, type Handling } from "../../ground/lib/vocabulary.ts";
import { type Entry, field } from "./field.ts";
import { filterFlag } from "./filter-flag.ts";

const LONGEST_MUTE_MS = 366 * 86_400_000;

const INPUT = {
  handling: oneOf(HANDLINGS)
    .meta({
      description:
        "`acknowledged` for a dead or unknown link that you know of: it leaves the links that need attention until its status or reason changes. `muted` for one that people shall not hear of before `muted_until`. `open` for neither.",
    })
    .optional(),
  muted_until: moment()
    .nullable()
    .meta({ description: "With `handling: muted`: when it ends, within a year." })
    .optional(),
};

type Part = {
  handling: Handling;
  handledAt: number | null;
  handledBy: string | null;
  mutedUntil: number | null;
  /** With what it is muted, if not itself. */
  mutedFrom: "group" | "site" | null;
  /** When the link died while it was muted. */
  silentDeathAt: number | null;
};

const KINDS = { open: "reopened", acknowledged: "acknowledged", muted: "muted" } as const;

/** The entry of the timeline for what was decided about a link. */
const entryOf = ({ handling, mutedUntil }: Part): Entry => ({
  kind: KINDS[handling],
  detail: toIsoOrNull(mutedUntil),
});

export const handling = field({
  columns: {
    handling: "text",
    handled_at: "bigint",
    handled_by: "text",
    muted_until: "bigint",
    muted_from: "text",
    silent_death_at: "bigint",
  },
  read: (cells): Part => ({
    handling: (cells.handling ?? "open") as Handling,
    handledAt: cells.handled_at as number | null,
    handledBy: cells.handled_by as string | null,
    mutedUntil: cells.muted_until as number | null,
    mutedFrom: cells.muted_from as Part["mutedFrom"],
    silentDeathAt: cells.silent_death_at as number | null,
  }),
  write: (part) => ({
    handling: part.handling,
    handled_at: part.handledAt,
    handled_by: part.handledBy,
    muted_until: part.mutedUntil,
    muted_from: part.mutedFrom,
    silent_death_at: part.silentDeathAt,
  }),
  isListed: true,
  shown: {
    handling: z.enum(HANDLINGS),
    handled_at: z.string().nullable(),
    handled_by: z.string().nullable(),
    muted_until: z.string().nullable(),
    muted_from: z.enum(["link", "group", "site"]).nullable(),
  },
  example: {
    handling: "open",
    handled_at: null,
    handled_by: null,
    muted_until: null,
    muted_from: null,
  },
  show: (part) => ({
    handling: part.handling,
    handled_at: toIsoOrNull(part.handledAt),
    handled_by: part.handledBy,
    muted_until: toIsoOrNull(part.mutedUntil),
    muted_from: part.handling === "muted" ? (part.mutedFrom ?? ("link" as const)) : null,
  }),
  creating: INPUT,
  changing: INPUT,
  changingMany: INPUT,
  problems(given, now) {
    const problem = problemOfMute(given, now);
    return problem === null ? {} : { muted_until: [problem] };
  },
  after(before, { handling, muted_until: mutedUntil = null }, { now, by }) {
    if (handling === undefined) return undefined;
    const isSame = handling === before.handling && before.mutedUntil === mutedUntil;
    if (isSame && before.mutedFrom === null) return undefined;
    if (handling === "open") return OPEN;
    const isMuted = handling === "muted";
    return {
      handling,
      handledAt: now,
      handledBy: by.name,
      mutedUntil: isMuted ? mutedUntil : null,
      mutedFrom: null,
      silentDeathAt: isMuted ? before.silentDeathAt : null,
    };
  },
  compared: { handling: (part) => part.handling, muted_until: (part) => part.mutedUntil },
  refusal: ({ handling }, { status, changed }) =>
    changed.includes("handling") && handling === "acknowledged" && status === "active"
      ? conflict("Only dead and unknown links can be acknowledged.", {
          reason: "nothing_to_acknowledge",
        })
      : null,
  entry: entryOf,
  exported: {
    handling: { cell: (part) => part.handling, example: "open" },
    muted_until: { cell: (part) => toIsoOrNull(part.mutedUntil), example: "" },
  },
  filters: {
    attention: filterFlag()
      .meta({ description: "`true`: only dead links that are neither acknowledged nor muted." })
      .optional(),
    handling: oneOf(HANDLINGS)
      .meta({ description: "Only links that are open, acknowledged or muted." })
      .optional(),
  },
  condition: ({ attention, handling }) =>
    and(attention ? NEEDS_ATTENTION : undefined, handling ? isHandled(handling) : undefined),
});

/** A link that is neither acknowledged nor muted. */
export const OPEN: Part = {
  handling: "open",
  handledAt: null,
  handledBy: null,
  mutedUntil: null,
  mutedFrom: null,
  silentDeathAt: null,
};

const NEEDS_ATTENTION = sql`${links.status} = 'dead' and ${links.handling} = 'open'`;

/** Acknowledged or muted. A literal, since a database cannot match a parameter with the condition of an index. */
export const IS_HANDLED = sql`${links.handling} <> 'open'`;

const isHandled = (handling: Handling): SQL | undefined =>
  handling === "open"
    ? eq(links.handling, handling)
    : and(eq(links.handling, handling), IS_HANDLED);

type Mute = { handling?: string | undefined; muted_until?: number | null | undefined };

/** Why the end of a mute is missing, superfluous, past or too late; null if it is fine. */
export function problemOfMute({ handling, muted_until: until }: Mute, now: number): string | null {
  if (handling !== "muted") return until ? "is only for `handling: muted`" : null;
  if (!until) return "is required for `handling: muted`";
  if (until <= now) return "must be in the future";
  return until - now > LONGEST_MUTE_MS ? "must be within a year" : null;
}
