import { useEffect } from "preact/hooks";

/** Whoever knows better where to go on goes first. */
const PATIENCE_MS = 100;
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), [tabindex='0']";

type Place = { element: Element; list: Element | null; index: number };

/**
 * When what had the focus is gone, such as the row that was deleted, a keyboard and a screen reader go on at
 * the row that took its place, or else at the beginning of the page, and not before the menu.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let last: Place | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const note = ({ target }: FocusEvent) => {
      if (target instanceof Element) last = placeOf(target);
    };
    const restore = () => {
      if (last && !last.element.isConnected && document.activeElement === document.body) {
        focusBeside(last);
      }
    };
    const look = () => {
      if (!last || last.element.isConnected || document.activeElement !== document.body) return;
      clearTimeout(timer);
      timer = setTimeout(restore, PATIENCE_MS);
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
  const row = element.closest("#main li, #main tr");
  const list = row?.parentElement ?? null;
  return { element, list, index: row && list ? [...list.children].indexOf(row) : -1 };
}

function focusBeside({ list, index }: Place) {
  const rows = list?.isConnected ? [...list.children] : [];
  const row = rows[Math.min(index, rows.length - 1)];
  const next = row?.querySelector<HTMLElement>(FOCUSABLE) ?? document.getElementById("main");
  next?.focus({ preventScroll: true });
}
