import { hostKey } from "./scope.ts";

/** How many pages of a family in a row may bring nothing new. */
const MOST_DRY = 1000;
/** Where calendars and filters make the pages. Questions and articles by number are not a trap. */
const MOST_DRY_IN_TRAPS = 50;
const MOST_FAMILIES = 10_000;

const UUID = /(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])/gi;
/** Words such as `facade` are not meant. */
const HEX = /(?<![0-9a-z])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{8,}(?![0-9a-z])/gi;
const NUMBER_OR_DATE = /^(\d+|\d{1,4}([-_.]\d{1,2}){1,2}|\d{4}-?w\d{1,2})$/i;
const YEAR = /(?<!\d)(19|20|21)\d\d(?!\d)/;
const YEAR_FIRST = /^(19|20|21)\d\d(\d\d){0,2}$/;

/**
 * Returns the family of a page: pages whose URLs differ only in numbers, dates, ids and what they ask by query. Null if
 * the URL has none of these, because such a family has one page.
 */
export function familyOf(url: URL): string | null {
  const segments: string[] = [];
  let dates: string[] = [];
  const endDates = () => {
    if (dates.length > 0) segments.push(dates.some(hasYear) ? "<date>" : "<number>");
    dates = [];
  };
  for (const segment of url.pathname.split("/")) {
    if (NUMBER_OR_DATE.test(segment)) dates.push(segment);
    else {
      endDates();
      segments.push(segment.replace(UUID, "*").replace(HEX, "*").replace(/\d+/g, "#"));
    }
  }
  endDates();
  const path = segments.join("/");
  const family = hostKey(url) + path + (url.search === "" ? "" : "?");
  return path === url.pathname && url.search === "" ? null : family;
}

const hasYear = (segment: string) => YEAR.test(segment) || YEAR_FIRST.test(segment);

const limitOf = (family: string) =>
  family.endsWith("?") || family.includes("<date>") ? MOST_DRY_IN_TRAPS : MOST_DRY;

/** What a page brought: targets outside its family that the run did not know, or none. */
export type Brought = "new" | "nothing";

/** Follows which families of a run bring nothing new any more. */
export type Families = {
  /** Whether the family of a page is dry. Pages that a sitemap names or `include` matches are requested all the same. */
  isDry(family: string | null): boolean;
  /**
   * Counts a page that was read, and returns whether that made its family dry. Pages that have not changed since an
   * earlier run are not counted, since their targets are not looked at.
   */
  note(family: string | null, brought: Brought): boolean;
  save(): SavedFamilies;
};

/** Families and how many of their pages brought nothing, as JSON has them. */
export type SavedFamilies = [family: string, dry: number][];

/** @param saved to go on with; the families that were dry at the end of the last run stay so until a page brings something */
export function createFamilies(saved: SavedFamilies = []): Families {
  /** The one that was counted longest ago first. */
  const counting = new Map<string, number>();
  const dry = new Map<string, number>();
  const isFull = () => counting.size + dry.size > MOST_FAMILIES;
  const keep = (family: string, count: number) => {
    const kept = count >= limitOf(family) ? dry : counting;
    kept.set(family, count);
    if (isFull()) {
      const from = counting.size > 0 ? counting : dry;
      from.delete(from.keys().next().value!);
    }
    return kept === dry;
  };
  for (const [family, count] of saved) keep(family, count);

  return {
    isDry: (family) => family !== null && dry.has(family),
    note(family, brought) {
      if (family === null) return false;
      const wasDry = dry.has(family);
      const count = counting.get(family) ?? dry.get(family) ?? 0;
      counting.delete(family);
      dry.delete(family);
      return brought === "nothing" && keep(family, count + 1) && !wasDry;
    },
    save: () => [...counting, ...dry],
  };
}
