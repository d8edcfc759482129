import * as z from "zod";
import type { GroupRow } from "../../ground/db/tables.ts";
import {
  color,
  id,
  lines,
  list,
  moment,
  oneOf,
  optionalText,
  paging,
  text,
} from "../../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../../ground/lib/moments.ts";
import { GROUP_SORTS } from "../../ground/lib/vocabulary.ts";
import { ScheduleField } from "../fields/schedule.ts";
import { ItemError, LinkQuery } from "../model.ts";
import type { Mute } from "../triage/inherit.ts";

const DEFAULT_COLOR = "#6B7280";
const MOST_MOVED = 1000;

/** Links by settled status. A running check does not change it. */
export type LinkCounts = { active: number; dead: number; unknown: number };

/** A group with the numbers of its links. */
export type CountedGroup = GroupRow & { counts: LinkCounts; mute: Mute | null };

const Counted = z.object({
  link_count: z.int().meta({ example: 12 }),
  counts: z
    .object({ active: z.int(), dead: z.int(), unknown: z.int() })
    .meta({ example: { active: 10, dead: 1, unknown: 1 } }),
});

export const GroupQuery = z.object({
  search: optionalText(100)
    .meta({ description: "Only groups whose name contains this text, ignoring case." })
    .optional(),
  sort: oneOf(GROUP_SORTS)
    .meta({ description: "By creation, name, dead links or links. Default: newest first." })
    .optional()
    .default("-created_at"),
  ...paging(),
});
export type GroupQuery = z.output<typeof GroupQuery>;

/** The links that are in no group. */
export const Ungrouped = Counted;

/** Until when people shall not hear of the links of a group or a site. */
export const MUTED_UNTIL = moment().nullable().meta({
  description:
    "Mutes its open links until then, within a year, also those that join it later; each shows it as `muted_from`. null ends that.",
});

/** How a group or a site shows that it is muted. */
export const MUTE_SHOWN = { muted_until: z.string().nullable(), muted_by: z.string().nullable() };

export const showMute = (mute: Mute | null) => ({
  muted_until: toIsoOrNull(mute?.until ?? null),
  muted_by: mute?.mutedBy ?? null,
});

export const Group = z
  .object({
    id: z.uuid(),
    name: z.string().meta({ example: "Docs" }),
    description: z.string().meta({ example: "Links of the handbook" }).nullable(),
    color: z.string().meta({ example: DEFAULT_COLOR }),
    ...Counted.shape,
    created_at: z.string(),
    updated_at: z.string(),
    check_schedule: z
      .object({
        cron: z.string().meta({ example: "0 6 * * 1-5" }),
        time_zone: z.string().meta({ example: "Europe/Berlin" }),
      })
      .nullable(),
    ...MUTE_SHOWN,
  })
  .meta({ id: "Group", example: { check_schedule: null, muted_until: null, muted_by: null } });

export const NewGroup = z.object(
  {
    name: text(100).meta({ example: "Docs" }),
    description: lines(500).meta({ example: "Links of the handbook" }).nullable().optional(),
    color: color().optional().default(DEFAULT_COLOR),
    check_schedule: ScheduleField.nullable().optional(),
  },
  "must be a JSON object",
);
export type NewGroup = z.output<typeof NewGroup>;

export const GroupChange = z.object(
  {
    name: text(100).meta({ example: "Docs" }).optional(),
    description: lines(500).meta({ example: "Links of the handbook" }).nullable().optional(),
    color: color().meta({ example: DEFAULT_COLOR }).optional(),
    check_schedule: ScheduleField.nullable().optional(),
    muted_until: MUTED_UNTIL.optional(),
  },
  "must be a JSON object",
);
export type GroupChange = z.output<typeof GroupChange>;

export const GroupLinksQuery = z.object({ status: LinkQuery.shape.status, ...paging() });

export const MovedLinkIds = z.object({ link_ids: list(id(), MOST_MOVED) }, "must be a JSON object");

export const MoveResult = z
  .object({
    group_id: z.uuid(),
    summary: z
      .object({ total: z.int(), moved: z.int(), unchanged: z.int(), failed: z.int() })
      .meta({ example: { total: 2, moved: 1, unchanged: 0, failed: 1 } }),
    results: z.array(
      z.union([
        z.object({ id: z.string(), status: z.enum(["moved", "unchanged"]) }),
        z.object({ id: z.string(), status: z.literal("failed"), error: ItemError }),
      ]),
    ),
  })
  .meta({ id: "MoveResult" });

export const toCounted = (counts: LinkCounts): z.infer<typeof Counted> => ({
  link_count: counts.active + counts.dead + counts.unknown,
  counts,
});

export const toGroup = (row: CountedGroup): z.infer<typeof Group> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  color: row.color,
  ...toCounted(row.counts),
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
  check_schedule: row.cron === null ? null : { cron: row.cron, time_zone: row.timeZone! },
  ...showMute(row.mute),
});
