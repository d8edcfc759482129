import { sql } from "drizzle-orm";
import * as z from "zod";
import { field, type Owner } from "./field.ts";

type Options<Name extends string, Key extends string, IsListed extends boolean> = {
  /** In the API, and of the column of `link_details`. */
  name: Name;
  /** In a link's details. */
  key: Key;
  /** What it may be, other than null. */
  input: z.ZodType<string, string>;
  description?: string;
  isListed: IsListed;
  isSearched?: boolean;
  /** In exports. */
  example: string;
};

/** A field with a text, which is null if it is empty. */
export function textField<Name extends string, Key extends string, IsListed extends boolean>({
  name,
  key,
  input,
  description,
  isListed,
  isSearched = false,
  example,
}: Options<Name, Key, IsListed>) {
  type Part = Record<Key, string | null>;
  type Named<T> = Record<Name, T>;
  const wanted = input.nullable().optional();
  const given = { [name]: description ? wanted.meta({ description }) : wanted } as Named<
    typeof wanted
  >;
  const partOf = (text: unknown) => ({ [key]: text || null }) as Part;
  return field({
    columns: { [name]: "text" },
    read: (cells) => partOf(cells[name]),
    write: (part: Part) => ({ [name]: part[key] }),
    isListed,
    shown: { [name]: z.string().nullable() } as Named<z.ZodNullable<z.ZodString>>,
    example: { [name]: null } as never,
    show: (part: Part) => ({ [name]: part[key] }) as never,
    creating: given,
    changing: given,
    after(_before: Part, edit) {
      const text = (edit as Partial<Named<string | null>>)[name];
      return text === undefined ? undefined : partOf(text);
    },
    compared: { [name]: (part: Part) => part[key] },
    exported: { [name]: { cell: (part: Part) => part[key], example } },
    declared: (part: Part) => ({ [name]: part[key] }),
    ...(isSearched && { searched: [name] }),
  });
}

/**
 * The filter for links that have just this text in the column of that name, which needs an index by account and text.
 * @param given is described
 */
export function textFilter<Name extends string>(name: Name, given: z.ZodType<string, string>) {
  const filters = { [name]: given.optional() } as Record<Name, z.ZodOptional<typeof given>>;
  const textIn = (filter: object) => (filter as Record<string, string | undefined>)[name];
  return {
    filters,
    condition(filter: object, { accountNo }: Owner) {
      const text = textIn(filter);
      if (!text) return undefined;
      return sql`links.no in (
        select link_no from link_details where account_no = ${accountNo} and ${sql.raw(name)} = ${text})`;
    },
    isFew: (filter: object) => Boolean(textIn(filter)),
  };
}
