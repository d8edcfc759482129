import { Check, ChevronDown, Ellipsis, type LucideIcon } from "lucide-preact";
import type { ComponentChildren, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export type MenuItem = {
  label: string;
  icon?: LucideIcon;
  keys?: string;
  danger?: boolean;
  href?: string;
  download?: boolean;
  /** Marks the choice that is on. */
  checked?: boolean;
  /** Why it can't be used now. */
  off?: string | undefined;
  onSelect?: () => void;
};

/** One choice of several by its words, of which one is on. */
export const choices = <T extends string>(
  words: Record<T, string>,
  on: T,
  onPick: (choice: T) => void,
): MenuItem[] =>
  (Object.keys(words) as T[]).map((each) => ({
    label: words[each],
    checked: each === on,
    onSelect: () => onPick(each),
  }));

type MenuProps = {
  /** What the menu is for; the name of an icon button. */
  label: string;
  icon?: LucideIcon | undefined;
  /** The text of the button; without it, only the icon. */
  button?: ComponentChildren;
  class?: string;
  /** Looks like a dotted word of a sentence. */
  plain?: boolean;
  /** Several choices can be on; the menu stays open. */
  multiple?: boolean;
  items: (MenuItem | "line" | null | false)[];
};

/** A button that opens a list of actions. */
export function Menu(props: MenuProps) {
  const { label, icon, button, plain, multiple = false, items } = props;
  const Icon = icon ?? (button ? null : Ellipsis);
  const mark = Icon && <Icon class="i" aria-hidden="true" />;
  const { list, ties, close } = usePopover();
  const look = props.class ?? (plain ? "word" : button ? "btn" : "ib");
  return (
    <>
      <button
        type="button"
        class={look}
        aria-label={button ? undefined : label}
        title={button ? undefined : label}
        aria-haspopup="menu"
        {...ties}
      >
        {button ? (
          <span>
            {mark}
            {button}
          </span>
        ) : (
          mark
        )}
        {button && !plain && <ChevronDown class="i" aria-hidden="true" />}
      </button>
      <div
        ref={list}
        id={ties.popovertarget}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        onKeyDown={moveInside}
      >
        {items.map((item, n) =>
          item === "line" ? (
            <hr key={n} />
          ) : (
            item && <Item key={item.label} item={item} multiple={multiple} onDone={close} />
          ),
        )}
      </div>
    </>
  );
}

type ItemProps = { item: MenuItem; multiple: boolean; onDone: () => void };

function Item({ item, multiple, onDone }: ItemProps) {
  const { icon: Icon, label, keys, href, download, checked, danger, off, onSelect } = item;
  const inside = (
    <>
      {Icon && <Icon class="i" aria-hidden="true" />}
      <span>{label}</span>
      {checked && <Check class="i" aria-hidden="true" />}
      {keys && <kbd aria-hidden="true">{keys}</kbd>}
    </>
  );
  const choose = () => {
    if (!multiple) onDone();
    onSelect?.();
  };
  const isChoice = checked !== undefined;
  const choiceRole = multiple ? ("menuitemcheckbox" as const) : ("menuitemradio" as const);
  const as = isChoice
    ? { role: choiceRole, "aria-checked": checked }
    : { role: "menuitem" as const };
  const look = danger ? "danger" : undefined;
  return href && !off ? (
    <a role="menuitem" class={look} href={href} download={download} onClick={choose}>
      {inside}
    </a>
  ) : (
    <button type="button" {...as} class={look} disabled={!!off} title={off} onClick={choose}>
      {inside}
    </button>
  );
}

export type PickOption<T extends string> = {
  value: T;
  label: string;
  mark?: ComponentChildren;
  hint?: string;
};

export type PickProps<T extends string> = {
  label: string;
  icon?: LucideIcon | undefined;
  button: ComponentChildren;
  value: T | null;
  /** Several choices can be on, which are these; the list stays open. */
  chosen?: readonly T[];
  options: readonly PickOption<T>[];
  onPick: (value: T) => void;
  /** Called while typing, for options that come from the server; otherwise the given ones are filtered. */
  onSearch?: (text: string) => void;
  /** Why the server found none. */
  problem?: Error | null;
  /** Looks like a dotted word of a sentence. */
  plain?: boolean;
  class?: string;
  /** The key that opens it. */
  keys?: string;
  /** Why it can't be used now. */
  off?: string | undefined;
};

/** Above this number of options, a field filters them. */
const MOST_UNFILTERED = 7;

/** A button that opens one list with typing, for groups, sites, people and the like. */
export function Pick<T extends string>(props: PickProps<T>) {
  const { label, icon: Icon, button, value, options, onPick, onSearch, plain } = props;
  const { list, ties, close } = usePopover();
  const [text, setText] = useState("");
  const search = (typed: string) => {
    setText(typed);
    onSearch?.(typed);
  };
  const shown = onSearch ? options : options.filter((option) => isMatch(option.label, text));
  const isFiltered = options.length > MOST_UNFILTERED || onSearch;
  const isOn = (option: T) => props.chosen?.includes(option) ?? option === value;
  const pick = (picked: T) => {
    if (!props.chosen) close();
    if (text) search("");
    onPick(picked);
  };
  return (
    <>
      <button
        type="button"
        class={props.class ?? (plain ? "word" : "btn")}
        aria-haspopup="dialog"
        disabled={!!props.off}
        title={props.off}
        {...ties}
      >
        <span>
          {Icon && <Icon class="i" aria-hidden="true" />}
          <span class="unseen">{label}: </span>
          {button}
        </span>
        {button && !plain && !props.keys && <ChevronDown class="i" aria-hidden="true" />}
        {props.keys && <kbd aria-hidden="true">{props.keys}</kbd>}
      </button>
      <div
        ref={list}
        id={ties.popovertarget}
        class="menu"
        popover="auto"
        role="dialog"
        aria-label={label}
        onKeyDown={moveInside}
      >
        {isFiltered && (
          <input
            type="search"
            aria-label={`Search: ${label}`}
            placeholder={label}
            value={text}
            onInput={({ currentTarget }) => search(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== "Escape") return;
              // The browser would only empty the field, press what the focus returns to, or send a form around it.
              event.preventDefault();
              if (event.key === "Enter") return shown[0] && pick(shown[0].value);
              close();
              search("");
            }}
          />
        )}
        {shown.map((option) => (
          <button
            key={option.value}
            type="button"
            aria-pressed={isOn(option.value)}
            onClick={() => pick(option.value)}
          >
            {option.mark}
            <span>{option.label}</span>
            {option.hint && <em>{option.hint}</em>}
            {isOn(option.value) && <Check class="i" aria-hidden="true" />}
          </button>
        ))}
        {props.problem && <p class="problem">{props.problem.message}</p>}
        {shown.length === 0 && !props.problem && <p class="hint">Nothing matches.</p>}
      </div>
    </>
  );
}

type FilterPickProps = {
  label: string;
  icon?: LucideIcon;
  /** What is offered for no filter. */
  any: string;
  value: string | null | undefined;
  /** The name of the value, if it may not be among the options. */
  shown?: string | null;
  options: readonly PickOption<string>[];
  onPick: (value: string | null) => void;
  onSearch?: (text: string) => void;
};

/** A choice that narrows a list, or not. */
export const FilterPick = ({ any, value, shown, options, ...pick }: FilterPickProps) => (
  <Pick
    {...pick}
    button={shown ?? options.find((option) => option.value === value)?.label ?? any}
    value={value ?? ""}
    options={[{ value: "", label: any }, ...options]}
    onPick={(chosen) => pick.onPick(chosen || null)}
  />
);

const isMatch = (label: string, text: string) => {
  const typed = text.trim().toLowerCase();
  return (
    label
      .toLowerCase()
      .split(/[\s./-]+/)
      .some((word) => word.startsWith(typed)) || label.toLowerCase().includes(typed)
  );
};

const GAP_PX = 4;

/** A popover under its button, above it where there is no room below. */
function usePopover() {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const popover = list.current;
    if (!popover) return;
    const place = ({ newState }: ToggleEvent) => newState === "open" && putUnder(popover, id);
    popover.addEventListener("toggle", place as EventListener);
    return () => popover.removeEventListener("toggle", place as EventListener);
  }, [id]);
  const close = () => {
    list.current?.hidePopover();
    // A hidden field keeps the focus until the page is painted, and would swallow the next key.
    const focused = document.activeElement as HTMLElement | null;
    if (list.current?.contains(focused)) focused?.blur();
  };
  return { list: list as RefObject<HTMLDivElement>, ties: { popovertarget: `p${id}` }, close };
}

function putUnder(popover: HTMLElement, id: string) {
  const button = document.querySelector(`[popovertarget="p${id}"]`);
  if (!button) return;
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const isBelow = at.bottom + GAP_PX + height < innerHeight || at.top < height;
  popover.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
  popover.style.top = `${isBelow ? at.bottom + GAP_PX : at.top - GAP_PX - height}px`;
  const first = popover.querySelector<HTMLElement>("input, [aria-pressed=true], button, a");
  first?.focus();
}

/** Arrow keys move between the entries. */
function moveInside(event: KeyboardEvent & { currentTarget: HTMLElement }) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, button, a")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[(at + step + stops.length) % stops.length]?.focus();
}
