import { ArrowDown, ArrowUp } from "lucide-preact";
import type { ComponentChildren, HTMLAttributes, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** So many rows of one height, one after the other. */
export type Run = { count: number; height: number };

/** What a page can do with its rows. */
export type RowsHandle = {
  /** Brings a row into view and gives it the focus. */
  focus(index: number): void;
  /** Brings a row into view. */
  show(index: number): void;
  /** The first row in view, and how far it is scrolled out, in pixels. */
  place(): Place;
  goTo(place: Place): void;
};

export type Place = { index: number; offset: number };

type RowsProps<T> = {
  label: string;
  /** The heights of all rows, whether they are loaded or not. */
  runs: readonly Run[];
  /** Cells of the header, with role `columnheader`. */
  head?: ComponentChildren;
  /** Undefined while it is being loaded. */
  itemAt(index: number): T | undefined;
  /** Cells of a row, with role `cell`. @param isHovered by a mouse */
  children(item: T, index: number, isHovered: boolean): ComponentChildren;
  /** Stands for a row while it is being loaded. */
  skeleton?: ComponentChildren;
  /** Further attributes of a row. */
  attributes?(item: T, index: number): HTMLAttributes<HTMLDivElement>;
  /** Called with the rows in the document when they change. */
  onShow?(first: number, last: number): void;
  /** The row that has the tab stop. */
  current: number;
  onCurrent(index: number): void;
  handle?: RefObject<RowsHandle | null>;
  class?: string;
};

/** Rows beyond each edge. */
const BEYOND = 12;
/** Rows are placed from a line above them that moves this far at a time, since most browsers place by inexact numbers. */
const BASE_PIXELS = 100_000;
/** The most rows in the document. */
const MOST = 59;
/** Browsers draw nothing that is higher, so longer lists are scrolled in proportion. */
const MOST_PIXELS = 16_000_000;

/** A list of any length, of which only the rows in view are in the document. */
export function Rows<T>(props: RowsProps<T>) {
  const { runs, current, label, head } = props;
  const list = useRef<HTMLDivElement>(null);
  const heights = heightsOf(runs);
  const view = useView(list, heights.height);
  const inView = windowOf(heights, view, useBeyond());
  const isPrinting = usePrinting();
  const [first, last] = isPrinting ? [0, Math.min(heights.count, MOST_PRINTED) - 1] : inView;
  const isBusy = useHandle(props, list, heights);
  useEffect(() => props.onShow?.(first, last), [first, last, heights.count]);
  const inDocument = indexesOf(first, last, current, heights.count);
  const shown = isPrinting
    ? inDocument.filter((index) => props.itemAt(index) !== undefined)
    : inDocument;
  const slotOf = useSlots(shown);
  const base = Math.floor(heights.topOf(first) / BASE_PIXELS) * BASE_PIXELS;
  return (
    <div
      class={`table ${props.class ?? ""}`}
      role="table"
      aria-label={label}
      aria-rowcount={heights.count + (head ? 1 : 0)}
      aria-busy={isBusy ? "true" : undefined}
    >
      {head && (
        <div class="head" role="row" aria-rowindex={1}>
          {head}
        </div>
      )}
      <div ref={list} style={{ height: `${Math.min(heights.height, MOST_PIXELS)}px` }}>
        <div
          class="rows"
          role="rowgroup"
          style={{ transform: `translateY(${base + view.shift}px)` }}
        >
          {shown.map((index) => (
            <ShownRow
              key={slotOf(index)}
              list={props}
              index={index}
              top={heights.topOf(index) - base}
              height={heights.heightOf(index)}
            />
          ))}
        </div>
      </div>
      {shown.length < inDocument.length && (
        <p class="hint">The other rows were not loaded yet: print again to have them.</p>
      )}
    </div>
  );
}

/** A list of more rows ends there on paper. */
export const MOST_PRINTED = 2_000;

/** Whether the page is being printed, with all rows. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}

type ColumnHeadProps<Sort extends string> = {
  name: string;
  class?: string | undefined;
  /** By what the column can sort, the usual order first; none if it cannot. */
  sorts?: readonly Sort[] | undefined;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort) => void) | undefined;
};

/** The head of a column. One that sorts is a button; pressing it once more turns the order, where there are two. */
export function ColumnHead<Sort extends string>(props: ColumnHeadProps<Sort>) {
  const { name, sorts = [], sort, onSort } = props;
  const at = sort === undefined ? -1 : sorts.indexOf(sort);
  const next = sorts[(at + 1) % sorts.length];
  if (next === undefined) {
    return (
      <span role="columnheader" class={props.class}>
        {name}
      </span>
    );
  }
  const isDown = sort?.startsWith("-");
  const Arrow = isDown ? ArrowDown : ArrowUp;
  const order = isDown ? "descending" : "ascending";
  return (
    <span role="columnheader" class={props.class} aria-sort={at < 0 ? "none" : order}>
      <button type="button" class="sorts" title={`Sort by ${name}`} onClick={() => onSort?.(next)}>
        {name}
        {at >= 0 && <Arrow class="i" aria-hidden="true" />}
      </button>
    </span>
  );
}

type HeadsProps<Sort extends string> = {
  names: string[] /** Of columns with a time, which stand at the right. */;
  times: string[];
  /** By what columns sort. */
  sorts?: Record<string, readonly Sort[]>;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
};

/** The cells of a header. */
export const Heads = <Sort extends string>(props: HeadsProps<Sort>) => (
  <>
    {[...props.names, ...props.times].map((name) => (
      <ColumnHead
        key={name}
        name={name}
        class={props.times.includes(name) ? "c-t" : undefined}
        sorts={props.sorts?.[name]}
        sort={props.sort}
        onSort={props.onSort}
      />
    ))}
  </>
);

type ShownRowProps<T> = { list: RowsProps<T>; index: number; top: number; height: number };

/** Drawn again only when the list changes, not when it is scrolled. */
function ShownRow<T>({ list, index, top, height }: ShownRowProps<T>) {
  const [hovered, setHovered] = useState(-1);
  const isHovered = hovered === index;
  const item = list.itemAt(index);
  return useMemo(() => {
    const { head, current, onCurrent, children, attributes, skeleton = <SkeletonCell /> } = list;
    const { class: more, ...rest } = (item !== undefined && attributes?.(item, index)) || {};
    const on = index === current ? "on" : "";
    return (
      <div
        role="row"
        aria-rowindex={index + (head ? 2 : 1)}
        data-index={index}
        tabIndex={index === Math.max(current, 0) ? 0 : -1}
        onFocus={() => index !== current && onCurrent(index)}
        onPointerEnter={({ pointerType }) => pointerType === "mouse" && setHovered(index)}
        onPointerLeave={() => setHovered(-1)}
        {...rest}
        class={`row ${on} ${typeof more === "string" ? more : ""}`}
        style={{ transform: `translateY(${top}px)`, height: `${height}px` }}
      >
        {item === undefined ? skeleton : children(item, index, isHovered)}
      </div>
    );
  }, [list, item, index, top, height, isHovered]);
}

const SkeletonCell = () => (
  <span role="cell" class="c-sk">
    <i />
  </span>
);

/** Also the row with the focus, wherever it is: it must not lose it by being scrolled away. */
function indexesOf(first: number, last: number, current: number, count: number): number[] {
  const shown = Array.from({ length: Math.max(last - first + 1, 0) }, (_, n) => first + n);
  const isThere = current >= 0 && current < count;
  if (!isThere || (current >= first && current <= last)) return shown;
  return current < first ? [current, ...shown] : [...shown, current];
}

/** Returns the element of a row: those of rows that are scrolled away show others, since changing one costs less. */
function useSlots(shown: readonly number[]): (index: number) => number {
  const used = useRef(new Map<number, number>());
  const stay = new Set(shown);
  const free: number[] = [];
  for (const [index, slot] of used.current) {
    if (stay.has(index)) continue;
    used.current.delete(index);
    free.push(slot);
  }
  const taken = new Set(used.current.values());
  for (let slot = 0; free.length + taken.size < shown.length; slot++)
    if (!taken.has(slot) && !free.includes(slot)) free.push(slot);
  for (const index of shown) if (!used.current.has(index)) used.current.set(index, free.pop()!);
  return (index) => used.current.get(index)!;
}

type Heights = {
  count: number;
  height: number;
  topOf(index: number): number;
  heightOf(index: number): number;
  /** The row at so many pixels from the top. */
  indexAt(top: number): number;
};

/** Exact, without a sum over all rows. */
function heightsOf(runs: readonly Run[]): Heights {
  const starts: (Run & { index: number; top: number })[] = [];
  let [count, height] = [0, 0];
  for (const run of runs) {
    if (run.count > 0) starts.push({ ...run, index: count, top: height });
    count += run.count;
    height += run.count * run.height;
  }
  const empty = { count: 0, height: 0, index: 0, top: 0 };
  const of = (isIn: (run: (typeof starts)[number]) => boolean) => starts.findLast(isIn) ?? empty;
  const holding = (index: number) => of((run) => run.index <= index);
  return {
    count,
    height,
    topOf: (index) => holding(index).top + (index - holding(index).index) * holding(index).height,
    heightOf: (index) => holding(index).height,
    indexAt: (top) => {
      const run = of((each) => each.top <= Math.max(top, 0));
      const index = run.index + Math.floor((Math.max(top, 0) - run.top) / (run.height || 1));
      return Math.min(Math.max(index, 0), Math.max(count - 1, 0));
    },
  };
}

/** `top` is where the view begins, in pixels of the whole list; `shift` brings a row from there to the screen. */
type View = { top: number; height: number; shift: number };

/** None until the rows in view are painted. */
function useBeyond(): number {
  const [beyond, setBeyond] = useState(0);
  useEffect(() => {
    const timer = setTimeout(setBeyond, 0, BEYOND);
    return () => clearTimeout(timer);
  }, []);
  return beyond;
}

function windowOf(
  { indexAt, count }: Heights,
  { top, height }: View,
  most: number,
): [number, number] {
  if (count === 0) return [0, -1];
  const [from, to] = [indexAt(top), indexAt(top + height)];
  const beyond = Math.max(Math.min(most, Math.floor((MOST - (to - from + 1)) / 2)), 0);
  return [Math.max(from - beyond, 0), Math.min(to + beyond, count - 1)];
}

/** The nearest ancestor that scrolls; null for the window. */
function scrollerOf(list: Element): HTMLElement | null {
  let parent = list.parentElement;
  while (parent && !/auto|scroll/.test(getComputedStyle(parent).overflowY))
    parent = parent.parentElement;
  return parent === document.documentElement || parent === document.body ? null : parent;
}

/** How far the list is scrolled, and of what, in pixels of the document. */
function scrollOf(list: Element, scroller = scrollerOf(list)) {
  const above = scroller ? scroller.getBoundingClientRect().top : 0;
  const height = scroller ? scroller.clientHeight : innerHeight;
  return { scroller, height, top: above - list.getBoundingClientRect().top };
}

/** By how much the list is longer than what the browser scrolls, for each pixel that is scrolled. */
function stretchOf(whole: number, height: number): number {
  return whole <= MOST_PIXELS ? 0 : (whole - MOST_PIXELS) / (MOST_PIXELS - height);
}

function viewOf(list: Element, whole: number, scroller?: HTMLElement | null): View {
  const { top, height } = scrollOf(list, scroller);
  const most = Math.max(Math.min(whole, MOST_PIXELS) - height, 0);
  const hidden = Math.min(Math.max(top, 0), most) * stretchOf(whole, height);
  return { top: top + hidden, height, shift: -hidden };
}

function useView(list: RefObject<HTMLDivElement | null>, whole: number): View {
  const [view, setView] = useState<View>({ top: 0, height: innerHeight, shift: 0 });
  useLayoutEffect(() => {
    if (!list.current) return;
    const scroller = scrollerOf(list.current);
    const look = () => {
      if (list.current)
        setView((before) => settled(before, viewOf(list.current!, whole, scroller)));
    };
    look();
    const on = scroller ?? window;
    on.addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      on.removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [whole]);
  return view;
}

/** The same object if nothing would be drawn otherwise. */
const settled = (before: View, now: View): View =>
  before.height === now.height && before.shift === now.shift && Math.abs(before.top - now.top) < 20
    ? before
    : now;

function useHandle<T>(
  { handle, itemAt, onCurrent }: RowsProps<T>,
  list: RefObject<HTMLDivElement | null>,
  heights: Heights,
): boolean {
  const wanted = useRef<number | null>(null);
  const [, again] = useState({});
  const show = (index: number) => list.current && scrollToRow(list.current, heights, index);
  useLayoutEffect(() => {
    if (!handle) return;
    handle.current = {
      show,
      focus(index) {
        wanted.current = index;
        onCurrent(index);
        show(index);
        const row = rowAt(list.current, index);
        // At once, so that the next key already finds it.
        if (row) row.focus({ preventScroll: true });
        else again({});
      },
      place: () => placeOf(list.current!, heights),
      goTo: ({ index, offset }) => scrollToTop(list.current!, heights, index, offset),
    };
  });
  useLayoutEffect(
    () => () => {
      if (handle) handle.current = null;
    },
    [],
  );
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    const row = rowAt(list.current, wanted.current);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  });
  return heights.count > 0 && itemAt(0) === undefined;
}

const rowAt = (list: Element | null, index: number) =>
  list?.querySelector<HTMLElement>(`[data-index="${index}"]`);

/** What is covered at the edges by bars, as the style sheet says for the browser's own scrolling. */
function paddingOf(scroller: Element) {
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(scroller);
  return {
    top: Number.parseFloat(scrollPaddingTop) || 0,
    bottom: Number.parseFloat(scrollPaddingBottom) || 0,
  };
}

function placeOf(list: Element, heights: Heights): Place {
  const { top } = viewOf(list, heights.height);
  const edge = top + paddingOf(scrollerOf(list) ?? document.documentElement).top;
  const index = heights.indexAt(edge);
  return { index, offset: Math.round(edge - heights.topOf(index)) };
}

function scrollToTop(list: Element, heights: Heights, index: number, offset: number) {
  const { top } = paddingOf(scrollerOf(list) ?? document.documentElement);
  scrollList(list, heights, heights.topOf(index) + offset - top);
}

/** Scrolls no farther than is needed. */
function scrollToRow(list: Element, heights: Heights, index: number) {
  const view = viewOf(list, heights.height);
  const padding = paddingOf(scrollerOf(list) ?? document.documentElement);
  const [from, to] = [heights.topOf(index), heights.topOf(index) + heights.heightOf(index)];
  if (from < view.top + padding.top) scrollList(list, heights, from - padding.top);
  else if (to > view.top + view.height - padding.bottom)
    scrollList(list, heights, to - view.height + padding.bottom);
}

/** @param wanted pixels of the whole list that are to be above the view */
function scrollList(list: Element, { height: whole }: Heights, wanted: number) {
  const { scroller, top, height } = scrollOf(list);
  const stretch = stretchOf(whole, height);
  // Above the list, and below it, nothing is stretched.
  const most = Math.max(Math.min(whole, MOST_PIXELS) - height, 0);
  const own = wanted <= 0 ? wanted : Math.min(wanted / (1 + stretch), most);
  const past = Math.max(wanted - most * (1 + stretch), 0);
  (scroller ?? window).scrollBy({ top: own + past - top, behavior: "instant" });
}
