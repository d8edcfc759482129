import type { LucideIcon } from "lucide-preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

type Bindings = Record<string, (event: KeyboardEvent) => void>;

/** The longest pause between the two keys of "g l". */
const PAUSE_MS = 1_500;

const OFF = "stillup-keys-off";

/** Users of speech input can switch single keys off (WCAG 2.2, 2.1.4), except `?`. */
export const areKeysOn = () => localStorage.getItem(OFF) === null;
export function switchKeys(isOn: boolean) {
  if (isOn) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, "1");
}

/** Of what is on screen; that of the frame comes last. */
const layers: (() => Bindings)[] = [];

/**
 * Keys of a page: "j", "Shift+x", "Escape", "Ctrl+k" (or Command), or two after each other, "g l". Where two have the
 * same, the one that appeared last counts. They do nothing while the user types, while something is open over the page,
 * or when they are switched off.
 */
export const useKeys = (bindings: Bindings, isOn = true) => useLayer(bindings, isOn, "first");

/** Keys that pages may replace. */
export const useFrameKeys = (bindings: Bindings) => useLayer(bindings, true, "last");

function useLayer(bindings: Bindings, isOn: boolean, place: "first" | "last") {
  const latest = useRef(bindings);
  latest.current = bindings;
  // Keys work as soon as the page is painted.
  useLayoutEffect(() => {
    if (!isOn) return;
    const layer = () => latest.current;
    if (place === "first") layers.unshift(layer);
    else layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, [isOn, place]);
}

const find = (keys: string) => layers.map((layer) => layer()[keys]).find((binding) => binding);

const isStart = (key: string) =>
  layers.some((layer) => Object.keys(layer()).some((keys) => keys.startsWith(`${key} `)));

let first = { key: "", at: 0 };

document.addEventListener("keydown", (event) => {
  if (isTaken(event)) return;
  const key = nameOf(event);
  const chord = event.timeStamp - first.at < PAUSE_MS ? find(`${first.key} ${key}`) : undefined;
  first = { key: "", at: 0 };
  const binding = chord ?? find(key);
  if (binding) {
    event.preventDefault();
    binding(event);
  } else if (isStart(key)) first = { key, at: event.timeStamp };
});

/** "x", "Shift+x", "#", "Shift+ArrowDown", "Space", "Ctrl+k" */
function nameOf({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent): string {
  const isLetter = /^[a-z]$/i.test(key);
  const name = key === " " ? "Space" : isLetter ? key.toLowerCase() : key;
  const shift = shiftKey && (isLetter || name.length > 1) ? "Shift+" : "";
  return `${ctrlKey || metaKey ? "Ctrl+" : ""}${shift}${name}`;
}

const OVER_PAGE = "dialog[open], [popover]:popover-open";
/** Checkboxes and radio buttons do not take letters. */
const TYPED = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
/** These have their own meaning of Enter and Space. */
const PRESSED = "a, button, input, summary";

/** Whether a field, a dialog or the browser uses the key, or single keys are off. */
function isTaken(event: KeyboardEvent): boolean {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (event.defaultPrevented || event.isComposing || altKey) return true;
  if (document.querySelector(OVER_PAGE)) return true;
  if (ctrlKey || metaKey) return false;
  if (key.length === 1 && key !== "?" && !areKeysOn()) return true;
  if (!(target instanceof Element)) return false;
  return target.matches(TYPED) || ((key === "Enter" || key === " ") && target.matches(PRESSED));
}

export type Command = {
  label: string;
  icon?: LucideIcon;
  /** Said after the label, such as "23 links". */
  hint?: string;
  /** The key that does the same. */
  keys?: string;
  onSelect: () => void;
};

const sources = new Set<() => Command[]>();

/** Commands for the link or the selection of the page, which the palette lists first while the page is shown. */
export function useCommands(commands: Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  useEffect(() => {
    const source = () => latest.current;
    sources.add(source);
    return () => void sources.delete(source);
  }, []);
}

export const pageCommands = (): Command[] => [...sources].flatMap((source) => source());
