import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { withoutBase } from "../data/base.ts";

/** Other code that moves the focus goes first. */
const PATIENCE_MS = 100;
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), [tabindex='0']";
const ROWS = "#main :is(li, tr, [role=row])";

type Place = { element: Element; list: Element | null; index: number };

/**
 * When the focused element is removed, such as a deleted row, moves the focus to the row in its place, or to the
 * beginning of the page.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let last: Place | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLost = () =>
      last !== null && !last.element.isConnected && document.activeElement === document.body;
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element) last = placeOf(target);
    };
    const look = () => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(() => isLost() && focusNeighbor(last!), PATIENCE_MS);
    };
    const changes = new MutationObserver(look);
    changes.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", note);
    return () => {
      clearTimeout(timer);
      changes.disconnect();
      document.removeEventListener("focusin", note);
    };
  }, []);
}

function placeOf(element: Element): Place {
  const row = element.closest(ROWS);
  const list = row?.parentElement ?? null;
  return { element, list, index: row && list ? [...list.children].indexOf(row) : -1 };
}

function focusNeighbor({ list, index }: Place) {
  const rows = list?.isConnected ? [...list.children] : [];
  const row = rows[Math.min(index, rows.length - 1)];
  const next = row?.matches(FOCUSABLE) ? row : row?.querySelector(FOCUSABLE);
  const target = next instanceof HTMLElement ? next : document.getElementById("main");
  target?.focus({ preventScroll: true });
}

/** Keyboards and screen readers start at the new page, not at the old link. */
export const focusMain = () => document.getElementById("main")?.focus({ preventScroll: true });

/** How long a page that is still growing may take to reach the place. */
const GROWS_MS = 2_000;

/** Where each address was left, for crumbs that lead back to it. */
const left = new Map<string, number>();
let isReturning = false;

/** The next page that is opened begins where it was left. */
export const returnToPlace = () => {
  isReturning = true;
};

/**
 * Keeps the scroll position of each entry of the history in its state, and restores it: when going back, and when a
 * crumb leads back to a list.
 */
export function useScrollKept(): void {
  const { url } = useLocation();
  useEffect(() => {
    history.scrollRestoration = "manual";
    const note = () => {
      left.set(withoutBase(location.pathname + location.search), scrollY);
      history.replaceState({ ...history.state, scroll: scrollY }, "");
    };
    // After the frame, because rows that have just changed would have to be laid out for it.
    const noteSoon = () => setTimeout(note);
    addEventListener("scrollend", noteSoon);
    return () => removeEventListener("scrollend", noteSoon);
  }, []);
  useEffect(() => {
    // A new entry has no state yet.
    const place = (isReturning ? left.get(url) : history.state?.scroll) ?? 0;
    isReturning = false;
    return place > 0 ? scrollWhenPossible(place) : undefined;
  }, [url]);
}

const INPUTS = ["wheel", "keydown", "touchmove", "pointerdown"];

/** Goes there as often as the page changes its height, until it should be complete or the person scrolls. */
function scrollWhenPossible(place: number): () => void {
  const growing = new ResizeObserver(() => scrollTo(0, place));
  const timer = setTimeout(stop, GROWS_MS);
  function stop() {
    growing.disconnect();
    clearTimeout(timer);
    for (const name of INPUTS) removeEventListener(name, stop);
  }
  for (const name of INPUTS) addEventListener(name, stop, { passive: true });
  growing.observe(document.getElementById("app")!);
  return stop;
}
