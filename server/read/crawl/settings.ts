import * as z from "zod";
import type { SourceRow } from "../../ground/db/tables.ts";
import { flag, oneOf, optionalText, text } from "../../ground/lib/fields.ts";
import type { SourceKind } from "../../ground/lib/vocabulary.ts";
import { FORMAT_NAMES } from "../lists/formats.ts";
import { patternProblem } from "./patterns.ts";
import { ELEMENT_GROUPS, USUAL_GROUPS } from "./places.ts";

const pattern = () =>
  text(2048).superRefine((value, context) => {
    const problem = patternProblem(value);
    if (problem) context.addIssue(problem);
  });
const patterns = () => z.array(pattern(), "must be a list").max(100, "must have at most 100 items");
const elements = () => z.array(oneOf(ELEMENT_GROUPS), "must be a list").default([...USUAL_GROUPS]);
const whole = (least: number, most: number) =>
  z
    .int(`must be a whole number from ${least} to ${most}`)
    .min(least, `must be at least ${least}`)
    .max(most, `must be at most ${most}`);

const choice = { include: patterns().default([]), exclude: patterns().default([]) };
const chosen = {
  query: optionalText(500).nullable().default(null),
  tag: optionalText(100).nullable().default(null),
};
const ofBookmarks = { archived: flag().default(false), ...chosen };

/** The settings of each kind of source; an unknown setting is refused, as it would have no effect. */
export const SETTINGS_OF = {
  site: z.strictObject({
    scope: oneOf(["path", "host", "domain"]).default("path"),
    depth: whole(0, 100).default(20),
    max_pages: whole(1, 1_000_000).default(10_000),
    ...choice,
    sitemaps: z
      .union([z.boolean(), z.literal("only")], 'must be true, false or "only"')
      .default(true),
    watch: oneOf(["external", "all", "internal"]).default("external"),
    elements: elements(),
    watch_nofollow: flag().default(true),
    fragments: flag().default(true),
  }),
  sitemap: z.strictObject(choice),
  feed: z.strictObject({
    content: flag().default(true),
    follow: flag().default(false),
    keep_days: whole(0, 3650).default(0),
  }),
  list: z.strictObject({
    format: oneOf(FORMAT_NAMES).nullable().default(null),
  }),
  git: z.strictObject({
    host: oneOf(["github", "gitlab", "gitea", "forgejo"]).nullable().default(null),
    ref: text(255).nullable().default(null),
    ...choice,
    base_url: text(2048).nullable().default(null),
  }),
  linkding: z.strictObject(ofBookmarks),
  karakeep: z.strictObject(ofBookmarks),
  linkace: z.strictObject(chosen),
  wordpress: z.strictObject({
    types: z.array(text(50), "must be a list").default(["posts", "pages"]),
    elements: elements(),
  }),
  push: z.strictObject({}),
} satisfies Record<SourceKind, z.ZodObject>;

/** The settings of a kind, all of them. */
export type SettingsOf<Kind extends SourceKind> = z.output<(typeof SETTINGS_OF)[Kind]>;

type Stored = Pick<SourceRow, "kind" | "settings">;

/** Returns all settings of a source. Those that are later than the stored ones have their usual values. */
export const storedSettings = ({ kind, settings }: Stored): SettingsOf<SourceKind> => ({
  ...SETTINGS_OF[kind].parse({}),
  ...JSON.parse(settings),
});

/** As `storedSettings`, but null for a source of another kind. */
export const settingsOf = <Kind extends SourceKind>(
  source: Stored,
  kind: Kind,
): SettingsOf<Kind> | null =>
  source.kind === kind ? (storedSettings(source) as SettingsOf<Kind>) : null;
