import { FileDown } from "lucide-preact";
import { type ComponentChildren, type ComponentType, createContext } from "preact";
import { useContext, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ErrorBoundary, useLocation } from "preact-iso";
import { checkedIn, isLive, type Tally, tallyOf, useImport } from "../data/adding.ts";
import { many } from "../data/format.ts";
import { useCanWrite } from "../data/session.ts";
import { useKeys } from "./keys.ts";

/** What the Add sheet begins with. */
type AddStart = { text?: string; file?: File };

type Add = { isOpen: boolean; open: (start?: AddStart) => void };

const AddContext = createContext<Add>({ isOpen: false, open: () => {} });

/** Opens the Add sheet from anywhere. */
export const useAdd = () => useContext(AddContext);

type AddHostProps = {
  /** The sheet, which is loaded when it is first opened. */
  Sheet: ComponentType<AddStart & { onClose: () => void }>;
  children: ComponentChildren;
};

/** Opens the Add sheet: by its buttons, `a`, `?add` in the address, a paste outside of fields, or a dropped file. */
export function AddHost({ Sheet, children }: AddHostProps) {
  const canWrite = useCanWrite();
  const [start, setStart] = useState<AddStart | null>(null);
  const isOpen = start !== null;
  const add = useMemo(
    () => ({ isOpen, open: (next: AddStart = {}) => canWrite && setStart(next) }),
    [isOpen, canWrite],
  );
  useKeys({ a: () => add.open() }, canWrite);
  useAddress(add.open);
  usePaste((text) => add.open({ text }), canWrite);
  return (
    <AddContext.Provider value={add}>
      {children}
      {canWrite && <DropAnywhere onFile={(file) => add.open({ file })} />}
      <ErrorBoundary>{start && <Sheet {...start} onClose={() => setStart(null)} />}</ErrorBoundary>
    </AddContext.Provider>
  );
}

/** `/?add` is where the set-up ends. */
function useAddress(open: () => void) {
  const { path, query, route } = useLocation();
  const isAsked = "add" in query;
  useEffect(() => {
    if (!isAsked) return;
    const { add: _, ...rest } = query;
    const search = new URLSearchParams(rest).toString();
    route(search ? `${path}?${search}` : path, true);
    open();
  }, [isAsked]);
}

/** Text with a URL in it that is pasted where no field takes it. */
function usePaste(onText: (text: string) => void, isOn: boolean) {
  const take = useRef(onText);
  take.current = onText;
  useEffect(() => {
    if (!isOn) return;
    const paste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      const isTyped = event.target instanceof Element && event.target.closest(FIELDS) !== null;
      if (isTyped || !/https?:\/\//i.test(text)) return;
      event.preventDefault();
      take.current(text);
    };
    document.addEventListener("paste", paste);
    return () => document.removeEventListener("paste", paste);
  }, [isOn]);
}

const FIELDS = "input, textarea, select, [contenteditable], dialog";

/** Takes a file that is dropped anywhere on the page, which the browser would otherwise open. */
function DropAnywhere({ onFile }: { onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFile);
  take.current = onFile;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      take.current(file);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver ? <DropHere /> : null;
}

/** Above dialogs too. */
function DropHere() {
  const cover = useRef<HTMLDivElement>(null);
  useEffect(() => cover.current?.showPopover?.(), []);
  return (
    <div ref={cover} class="drop-here" popover="manual">
      <p>
        <FileDown class="i" aria-hidden="true" />
        Drop the file to read its links
      </p>
    </div>
  );
}

/** How far the list is that is being added, while its sheet is closed. */
export function AddProgress() {
  const { isOpen, open } = useAdd();
  const adding = useImport();
  if (isOpen || !adding || !isLive(adding)) return null;
  const tally = tallyOf(adding);
  const { total, added } = tally;
  const text =
    adding.status === "adding"
      ? `Adding ${many(added)} of ${many(total)}`
      : `${many(checkedIn(tally))} of ${many(total)} checked`;
  return (
    <button
      type="button"
      class="adding"
      title="Show the list that is being added"
      onClick={() => open()}
    >
      <TallyBar tally={tally} width="48" />
      <span>{adding.status === "stopped" ? "Adding has stopped" : text}</span>
    </button>
  );
}

/** The share of each result, in its color. */
export function TallyBar({ tally, width }: { tally: Tally; width: string }) {
  const { alive, unknown, dead, total } = tally;
  const share = (count: number) => `${(count / Math.max(total, 1)) * 100}%`;
  return (
    <svg width={width} height="6" aria-hidden="true">
      <rect class="p-track" width="100%" height="6" rx="3" />
      <rect class="p-a" width={share(alive)} height="6" />
      <rect class="p-u" x={share(alive)} width={share(unknown)} height="6" />
      <rect class="p-d" x={share(alive + unknown)} width={share(dead)} height="6" />
    </svg>
  );
}
