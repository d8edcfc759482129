import * as z from "zod";
import { id, lines, moment, oneOf, optionalText, text, timeZone } from "../../lib/fields.ts";
import { HANDLINGS } from "../../lib/vocabulary.ts";
import { problemOfCron } from "../../work/schedule.ts";

const MOST_TAGS = 20;
const LONGEST_TAG = 50;

/** A tag as it is stored: trimmed, in lower case and Unicode normal form C, which some letters leave in lower case. */
export const normalTag = (given: string) =>
  given.normalize("NFC").toLowerCase().normalize("NFC").trim();

export const tagName = () =>
  z
    .string("must be a text")
    .transform(normalTag)
    .pipe(text(LONGEST_TAG).regex(/^[^,;]*$/, "must not have a comma or a semicolon"))
    .meta({ type: "string", maxLength: LONGEST_TAG, example: "docs" });

export const tagList = (most = MOST_TAGS) =>
  z
    .array(tagName(), "must be a list")
    .max(most, `must have at most ${most} tags`)
    .transform((tags) => [...new Set(tags)].sort());

const MOST_KEYS = 20;
const LONGEST_VALUE = 500;
const KEY = /^[A-Za-z0-9_.-]{1,40}$/;

/** An object of texts by key. @param value of one key */
const metadata = <T extends z.ZodType>(value: T) => z.preprocess(refuseProto, recordOf(value));

/** Records leave out this key without a word. */
function refuseProto(given: unknown, context: z.core.$RefinementCtx): unknown {
  if (typeof given === "object" && given !== null && Object.hasOwn(given, "__proto__"))
    context.addIssue({ code: "custom", path: ["__proto__"], message: "cannot be a key" });
  return given;
}

const recordOf = <T extends z.ZodType>(value: T) =>
  z
    .record(z.string(), value, "must be an object of texts")
    .superRefine((given, context) => {
      const keys = Object.keys(given);
      for (const key of keys.filter((each) => !KEY.test(each)))
        context.addIssue({
          code: "custom",
          path: [key],
          message: "must have a key of 1 to 40 letters, digits, dots, hyphens and underscores",
        });
      if (keys.length > MOST_KEYS) context.addIssue(TOO_MANY_KEYS);
    })
    .meta({ example: { cms_id: "p-17" } });

export const TOO_MANY_KEYS = `must have at most ${MOST_KEYS} keys`;
export const TOO_MANY_TAGS = `would have more than ${MOST_TAGS} tags`;

/** Whether metadata or tags are too many after they were merged with those that are there. */
export const hasTooMany = ({ metadata, tags }: { metadata: object; tags: string[] }) => ({
  keys: Object.keys(metadata).length > MOST_KEYS,
  tags: tags.length > MOST_TAGS,
});

const value = () => optionalText(LONGEST_VALUE);

/** When a link is checked, instead of by its frequency. */
export const ScheduleField = z
  .object(
    {
      cron: text(100).superRefine((cron, context) => {
        const problem = problemOfCron(cron);
        if (problem) context.addIssue(problem);
      }),
      time_zone: timeZone().optional().default("UTC"),
    },
    "must be an object with cron and time_zone",
  )
  .meta({
    description:
      "Five fields: minute, hour, day, month, weekday. The minute must be a number, and each link is checked within 15 minutes after it, at its own place. Replaces `check_frequency`.",
    example: { cron: "0 6 * * 1-5", time_zone: "Europe/Berlin" },
  });

const MINE = "me";
const assignee = () =>
  z
    .union([z.literal(MINE), id('must be the id of a person of the account, or "me"')], {
      error: 'must be the id of a person of the account, or "me"',
    })
    .meta({
      description:
        "The id of a person of the account. `me` is the person who is signed in, and not for keys.",
    });

/** What may be noted about a link when it is created, or later. */
export const NOTED = {
  title: optionalText(200).nullable().optional(),
  note: lines(2000).nullable().optional(),
  tags: tagList().nullable().optional(),
  external_id: text(255)
    .nullable()
    .optional()
    .meta({ description: "Your own id of the link, unique in the account." }),
  assignee_id: assignee().nullable().optional(),
  check_schedule: ScheduleField.nullable().optional(),
};

export const NewMetadata = metadata(value()).nullable().optional();

/** Merged key by key: null removes a key, or all of them. */
export const MetadataChange = metadata(value().nullable()).nullable().optional();

/** What may be decided about a link. */
export const DECIDED = {
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

/** Further fields for a change of many links. */
export const MANY = {
  add_tags: tagList().optional(),
  remove_tags: tagList().optional(),
};

const MOST_TAGS_IN_FILTER = 5;

/** In a query it is a word. */
const filterFlag = () =>
  z
    .union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
      error: "must be true or false",
    })
    .meta({ type: "boolean", anyOf: undefined });

/** Filters of a list of links by what people decided and noted. */
export const TRIAGE_FILTERS = {
  attention: filterFlag()
    .meta({ description: "`true`: only dead links that are neither acknowledged nor muted." })
    .optional(),
  handling: oneOf(HANDLINGS)
    .meta({ description: "Only links that are open, acknowledged or muted." })
    .optional(),
  assignee: z
    .union([z.enum([MINE, "none"]), id()], 'must be the id of a person, "me" or "none"')
    .meta({
      description: "Only links of this person; `me` behind a sign-in, `none` for links of no one.",
    })
    .optional(),
  overridden: filterFlag().meta({ description: "`true`: only links with an override." }).optional(),
  external_id: text(255).meta({ description: "Only the link with this external id." }).optional(),
  tag: z
    .string("must be a text")
    .transform((given) => given.split(","))
    .pipe(tagList(MOST_TAGS_IN_FILTER))
    .meta({
      type: "string",
      description: `Only links with this tag; up to ${MOST_TAGS_IN_FILTER} tags separated by commas, all of which they must have.`,
      example: "docs",
    })
    .optional(),
};

const LONGEST_MUTE_MS = 366 * 86_400_000;

/** Why the end of a mute is missing, superfluous, past or too late; null if it is fine. */
export function problemOfMute(
  {
    handling,
    muted_until: until,
  }: { handling?: string | undefined; muted_until?: number | null | undefined },
  now: number,
): string | null {
  if (handling !== "muted") return until ? "is only for `handling: muted`" : null;
  if (!until) return "is required for `handling: muted`";
  if (until <= now) return "must be in the future";
  return until - now > LONGEST_MUTE_MS ? "must be within a year" : null;
}
