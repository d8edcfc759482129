import { useRef, useState } from "preact/hooks";
import type { RowsHandle } from "../ui/rows.tsx";
import { useKeys } from "./keys.ts";

/** The current row of a list, which keys move, and Enter opens. */
export function useRowKeys(count: number, open: (index: number) => void) {
  const [current, onCurrent] = useState(0);
  const handle = useRef<RowsHandle>(null);
  const go = (index: number) => handle.current?.focus(Math.max(0, Math.min(index, count - 1)));
  useKeys({
    j: () => go(current + 1),
    k: () => go(current - 1),
    ArrowDown: () => go(current + 1),
    ArrowUp: () => go(current - 1),
    Home: () => go(0),
    End: () => go(count - 1),
    Enter: () => open(current),
  });
  return { current, onCurrent, handle };
}
