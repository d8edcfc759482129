import type { Page } from "playwright-core";

type Moved = { node: Node | null; previousRect: DOMRect; currentRect: DOMRect };
type Shift = PerformanceEntry & { value: number; sources: Moved[] };
type Seen = { shift: number; moved: string[] };

/** Adds up, in each page that is opened from now on, the layout shifts that the browser reports. */
export const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const seen: Seen = Object.assign(globalThis, { shift: 0, moved: [] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[]) {
        seen.shift += entry.value;
        for (const { node, previousRect: from, currentRect: to } of entry.sources) {
          const html = (node as Element | null)?.outerHTML?.slice(0, 60);
          seen.moved.push(`${html} from ${from.x},${from.y} to ${to.x},${to.y}`);
        }
      }
    }).observe({ type: "layout-shift", buffered: true });
  });

/** Once the last of the page is drawn: the part of the screen that jumped, times how far, and what jumped. */
export const shiftsOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<Seen>((tell) => {
        const { shift, moved } = globalThis as unknown as Seen;
        requestAnimationFrame(() => requestAnimationFrame(() => tell({ shift, moved })));
      }),
  );
