import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";

/** The key after "g". */
export const PLACES_BY_KEY = {
  o: { href: "/", name: "Overview" },
  l: { href: "/links", name: "Links" },
  g: { href: "/groups", name: "Groups" },
  h: { href: "/history", name: "History" },
  w: { href: "/webhooks", name: "Webhooks" },
  k: { href: "/keys", name: "API keys" },
  a: { href: "/account", name: "Account" },
} as const;

/** The longest pause between the two keys. */
const PAUSE_MS = 1_500;

const isPlace = (key: string): key is keyof typeof PLACES_BY_KEY => key in PLACES_BY_KEY;

const OFF = "stillup-keys-off";

/** Users of speech input can switch single keys off (WCAG 2.2, 2.1.4), except `?`. */
export const areKeysOn = () => localStorage.getItem(OFF) === null;
export function switchKeys(isOn: boolean) {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
}

/** Keys that work on every page, unless the user is typing or a dialog is open. */
export function useShortcuts(onHelp: () => void): void {
  const { route } = useLocation();
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      if (isTaken(event) || (event.key !== "?" && !areKeysOn())) return;
      const isSecond = event.timeStamp - wentAt < PAUSE_MS;
      wentAt = Number.NEGATIVE_INFINITY;
      if (isSecond && isPlace(event.key)) return route(PLACES_BY_KEY[event.key].href);
      if (event.key === "g") wentAt = event.timeStamp;
      else if (event.key === "?") onHelp();
      else if (event.key === "n") route("/links/new");
      else if (event.key === "/") startSearch(route);
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [route, onHelp]);
}

/** Checkboxes and radio buttons do not take letters. */
const TYPED = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

/** Whether a field, a dialog or the browser uses the key. */
function isTaken({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented) return true;
  if (document.querySelector("dialog[open]")) return true;
  return target instanceof Element && target.matches(TYPED);
}

/** Focuses the search field of the page, or goes to the search of links. */
function startSearch(route: (url: string) => void) {
  const field = document.querySelector<HTMLElement>("[data-search]");
  if (field) field.focus();
  else route("/links?find");
}

/** Other code that moves the focus goes first. */
const PATIENCE_MS = 100;
const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), [tabindex='0']";

type Place = { element: Element; list: Element | null; index: number };

/**
 * When the focused element is removed, such as a deleted row, moves the focus to the row in its place, or to
 * the beginning of the page.
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
        focusNeighbour(last);
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

function focusNeighbour({ list, index }: Place) {
  const rows = list?.isConnected ? [...list.children] : [];
  const row = rows[Math.min(index, rows.length - 1)];
  const next = row?.querySelector<HTMLElement>(FOCUSABLE) ?? document.getElementById("main");
  next?.focus({ preventScroll: true });
}
