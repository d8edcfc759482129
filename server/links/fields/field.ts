import type { SQL } from "drizzle-orm";
import type * as z from "zod";
import type { AppError, FieldProblems } from "../../ground/lib/errors.ts";
import type { Cell } from "../../ground/lib/text.ts";
import type { Verdict } from "../../ground/lib/vocabulary.ts";
import type { Actor, Caller } from "../../http/caller.ts";

/** What was read of a link, by column or by the name in `joined`; null for what was never said. */
export type Cells = Readonly<Record<string, string | number | null>>;

type Shape = z.ZodRawShape;
type None = Record<never, never>;
type Output<S extends Shape> = z.output<z.ZodObject<S>>;

/** The account of a caller, or of a batch. */
export type Owner = Pick<Caller, "accountNo" | "accountId">;

/** When links are edited, who does it, and the people that edits may name, by what they are named. */
export type EditContext = {
  now: number;
  by: Pick<Actor, "name">;
  people: ReadonlyMap<string, { id: string; email: string }>;
};

/** An entry of the timeline, which also names the action of the audit log. */
export type Entry = {
  kind: "acknowledged" | "assigned" | "changed" | "muted" | "reopened" | "tagged";
  detail: string | null;
};

/**
 * A field that people note or decide about a link: where it is stored, what the API shows and takes, and how lists
 * narrow, export and import it. `Part` is its part of a link's details.
 */
export type Field<
  Part extends object,
  IsListed extends boolean,
  Shown extends Shape,
  New extends Shape,
  Change extends Shape,
  Many extends Shape,
  Filter extends Shape,
> = {
  /** Its columns in `link_details`. */
  columns: Readonly<Record<string, "text" | "bigint">>;
  /** What is read with them: expressions on `links`, `details`, `users` and `groups`, by name. */
  joined?: Readonly<Record<string, string>>;
  /** Without cells it is the part of a link about which nothing was said. */
  read(cells: Cells): Part;
  /** The cells of all its columns. */
  write(part: Part): Cells;
  /** Whether lists show it, and not only the record of one link. */
  isListed: IsListed;
  shown: Shown;
  /** Examples of what is shown, where the schemas have none. */
  example?: Partial<z.input<z.ZodObject<Shown>>>;
  show(part: Part): z.input<z.ZodObject<Shown>>;
  /** What a new link may have. */
  creating?: New;
  /** What a change of one link may have. */
  changing?: Change;
  /** What a change of many links may have. */
  changingMany?: Many;
  /** What is wrong in itself with a new link or a change. */
  problems?(given: Output<Change & Many>, now: number): FieldProblems;
  /** What an edit makes of it; undefined for an edit that does not name it. */
  after?(
    before: Part,
    given: Output<Change & Many>,
    context: EditContext,
  ): Partial<Part> | undefined;
  /** What is compared to tell whether an edit has changed it, by the names that events and the audit log show. */
  compared?: Readonly<Record<string, (part: Part) => unknown>>;
  /** Why a link cannot become like this; null if it can. */
  refusal?(after: Part, link: { status: Verdict; changed: string[] }): AppError | null;
  /** Its own entry in the timeline when it has changed, instead of its name among others. */
  entry?(after: Part): Entry;
  /** The columns of exports. */
  exported?: Readonly<Record<string, { cell: (part: Part) => Cell; example: string }>>;
  /** What a file for `apply` says of it, by the names of the API. */
  declared?(part: Part): Record<string, unknown>;
  filters?: Filter;
  condition?(filter: Output<Filter>, owner: Owner): SQL | undefined;
  /** Whether an index finds the links that the filter leaves, which are few. */
  isFew?(filter: Output<Filter>): boolean;
  /**
   * Selects as `no` the numbers of the links that the filter leaves, once each and in the order of an index, if they may
   * be many: lists are read from it.
   */
  leading?(filter: Output<Filter>, owner: Owner): SQL | undefined;
  /** The columns in which `search_in=all` searches. The migration that adds one also adds it to their index. */
  searched?: readonly string[];
};

export const field = <
  Part extends object,
  const IsListed extends boolean,
  Shown extends Shape = None,
  New extends Shape = None,
  Change extends Shape = None,
  Many extends Shape = None,
  Filter extends Shape = None,
>(
  given: Field<Part, IsListed, Shown, New, Change, Many, Filter>,
) => given;
