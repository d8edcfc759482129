import type { Item } from "./item.ts";

/** What was found in a text so far. The reader of a long text may take items out meanwhile. */
export type Reading = {
  items: Item[];
  /** What the reader should know besides, in sentences. */
  notes: string[];
  /** Addresses of sitemaps that the text refers to instead of pages. */
  sitemaps: string[];
};

/**
 * Reads a list while it arrives, in pieces that may be cut anywhere, so that a list of any length needs
 * little room. What it finds goes into the reading that it was opened with.
 */
export type Reader = {
  /** @throws Unreadable */
  write(text: string): void;
  /** @throws Unreadable */
  end(): void;
};

/** @param head how the text begins, whole if it is short: `HEAD` characters or more */
export type OpenReader = (into: Reading, head: string) => Reader | Promise<Reader>;

/** How much of a text is looked at before it is read. */
export const HEAD = 64 * 1024;

export const newReading = (): Reading => ({ items: [], notes: [], sitemaps: [] });
