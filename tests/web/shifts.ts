import type { Page } from "playwright-core";

type Shift = PerformanceEntry & { value: number; sources: { node: Node | null }[] };
type Seen = { shift: number; moved: string[] };

/** Adds up, in each page that is opened from now on, the layout shifts that the browser reports. */
export const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const seen: Seen = Object.assign(globalThis, { shift: 0, moved: [] });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Shift[]) {
        seen.shift += entry.value;
        const nodes = entry.sources.map(({ node }) => (node as Element | null)?.outerHTML ?? "");
        seen.moved.push(...nodes.map((html) => html.slice(0, 100)));
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
