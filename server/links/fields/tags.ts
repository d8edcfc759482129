import { and, sql } from "drizzle-orm";
import * as z from "zod";
import { invalid } from "../../ground/lib/errors.ts";
import { text } from "../../ground/lib/fields.ts";
import { field } from "./field.ts";

const MOST_TAGS = 20;
const LONGEST_TAG = 50;
const MOST_TAGS_IN_FILTER = 5;

/** A tag as it is stored: trimmed, in lower case and Unicode normal form C, which some letters leave in lower case. */
export const normalTag = (given: string) =>
  given.normalize("NFC").toLowerCase().normalize("NFC").trim();

export const tagName = () =>
  z
    .string("must be a text")
    .transform(normalTag)
    .pipe(text(LONGEST_TAG).regex(/^[^,;]*$/, "must not have a comma or a semicolon"))
    .meta({ type: "string", maxLength: LONGEST_TAG, example: "docs" });

const tagList = (most = MOST_TAGS) =>
  z
    .array(tagName(), "must be a list")
    .max(most, `must have at most ${most} tags`)
    .transform((tags) => [...new Set(tags)].sort());

const INPUT = { tags: tagList().nullable().optional() };

/** In alphabetical order. They have tables of their own, see `tag-rows.ts`. */
type Part = { tags: string[] };

export const tags = field({
  columns: {},
  joined: {
    tags: "(select string_agg(tags.name, ',') from link_tags join tags on tags.no = tag_no where link_no = given.no)",
  },
  read: ({ tags }): Part => ({ tags: tags == null ? [] : (tags as string).split(",").sort() }),
  write: () => ({}),
  isListed: true,
  shown: { tags: z.array(z.string()) },
  example: { tags: [] },
  show: ({ tags }) => ({ tags }),
  creating: INPUT,
  changing: INPUT,
  changingMany: { add_tags: tagList().optional(), remove_tags: tagList().optional() },
  after(before, { tags, add_tags: add, remove_tags: remove }) {
    if (tags === undefined && !add && !remove) return undefined;
    const given = tags === undefined ? before.tags : (tags ?? []);
    const kept = given.filter((tag) => !remove?.includes(tag));
    return { tags: [...new Set([...kept, ...(add ?? [])])].sort() };
  },
  compared: { tags: ({ tags }) => tags },
  refusal: ({ tags }) =>
    tags.length > MOST_TAGS ? invalid({ tags: [`would have more than ${MOST_TAGS} tags`] }) : null,
  entry: ({ tags }) => ({ kind: "tagged", detail: tags.join(", ") || null }),
  exported: { tags: { cell: ({ tags }) => tags.join(";"), example: "docs;press" } },
  declared: ({ tags }) => ({ tags }),
  filters: {
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
  },
  condition: ({ tag = [] }, { accountId }) =>
    and(
      ...tag.map(
        (name) => sql`links.no in (select link_no from link_tags where tag_no = (
          select no from tags where account_id = ${accountId} and name = ${name}))`,
      ),
    ),
});
