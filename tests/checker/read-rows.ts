import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { z } from "zod";
import { type PageFields, PageShape, pageOf } from "./pages.ts";

type Fields = Record<string, unknown>;
export type Row = Fields & { what: string };

const Each = z.array(z.union([z.string(), z.record(z.string(), z.unknown())]));

const File = z.strictObject({
  /** What rows share by anchors of YAML. */
  given: z.record(z.string(), z.unknown()).optional(),
  /** What a row shows that names no page. */
  page: z.strictObject(PageShape).optional(),
  groups: z.array(
    z.strictObject({
      about: z.string(),
      /** What each row has unless it says otherwise. */
      all: z.record(z.string(), z.unknown()).default({}),
      /**
       * A row with `each` stands for many: one for each text, which is `{each}` in it, or for each record, whose fields
       * are used by their names, and whose `row` has more fields of the row.
       */
      rows: z.array(z.looseObject({ what: z.string(), each: Each.optional() })),
    }),
  ),
});

const FOLDER = join(import.meta.dir, "rows");

export const rowsFiles = () =>
  readdirSync(FOLDER)
    .sort()
    .map((name) => join(FOLDER, name));

/** Reads a file of `rows/`, whose fields are explained here and where the rows are understood: row-of-*.ts. */
export function readRows(path: string): { about: string; rows: Row[] }[] {
  const { groups, page = {} } = fileAt(path);
  return groups.map(({ about, all, rows }) => ({
    about,
    rows: rows.flatMap(repeated).map((row) => {
      const whole = { ...all, ...row };
      return pageOf(whole as PageFields) === undefined ? { ...page, ...whole } : whole;
    }),
  }));
}

function fileAt(path: string) {
  try {
    return File.parse(YAML.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error}`);
  }
}

function repeated({ each, ...row }: Row & { each?: z.infer<typeof Each> | undefined }): Row[] {
  if (!each) return [row];
  return each.map((item) => {
    if (typeof item === "string") return filledIn(row, { each: item }) as Row;
    const { row: more = {}, ...names } = item;
    return filledIn({ ...row, ...(more as Fields) }, names) as Row;
  });
}

/** Puts values in the place of their names in braces. */
function filledIn(value: unknown, names: Fields): unknown {
  if (Array.isArray(value)) return value.map((part) => filledIn(part, names));
  if (typeof value === "string") return filledInText(value, names);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([name, part]) => [name, filledIn(part, names)]);
  return Object.fromEntries(fields);
}

function filledInText(text: string, names: Fields): unknown {
  const [, whole = ""] = /^\{(\w+)\}$/.exec(text) ?? [];
  if (whole in names) return names[whole];
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => String(names[name] ?? braces));
}
