import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

type FoldProps<T> = {
  items: T[];
  /** So many are shown at once. */
  most: number;
  children: (item: T, index: number) => ComponentChildren;
};

/** The items of a list; of a long one the first, and the rest when asked for. */
export function Fold<T>({ items, most, children }: FoldProps<T>) {
  const [isOpen, setOpen] = useState(false);
  // One more takes no more room than the button that would show it.
  const isLong = items.length > most + 1;
  const shown = isLong && !isOpen ? items.slice(0, most) : items;
  return (
    <>
      {shown.map(children)}
      {isLong && !isOpen && (
        <li class="fold">
          <button type="button" class="plain" onClick={() => setOpen(true)}>
            Show {items.length - most} more
          </button>
        </li>
      )}
    </>
  );
}
