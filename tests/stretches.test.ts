import { expect } from "bun:test";
import { segmentsOnPage } from "../server/ground/lib/paging.ts";
import { eachRow } from "./each-row.ts";

const COUNTS = [[], [0], [3], [0, 2, 0, 5, 1], [1, 1, 1, 1], [0, 0, 7, 0]];
const SIZES = [0, 1, 2, 3, 7, 100];

eachRow(COUNTS.map((counts) => [counts]))(
  "a page of stretches is the page of all their items: %p",
  (counts) => {
    const stretches = counts.map((count, i) => ({
      count,
      items: Array.from({ length: count }, (_, n) => `${i}.${n}`),
    }));
    const all = stretches.flatMap(({ items }) => items);

    for (const offset of SIZES)
      for (const limit of SIZES) {
        const page = segmentsOnPage(stretches, { limit, offset }).flatMap(
          ({ segment, skip, take }) => {
            expect(take).toBeGreaterThan(0);
            return segment.items.slice(skip, skip + take);
          },
        );
        expect(page).toEqual(all.slice(offset, offset + limit));
      }
  },
);
