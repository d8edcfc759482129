import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useOff } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";

type InPlaceProps = {
  label: string;
  value: string | null;
  /** Several lines: then Enter begins one, and Ctrl Enter saves. */
  isLong?: boolean;
  maxLength: number;
  placeholder?: string;
  /** What is pressed while there is nothing to show. */
  none: string;
  save: (text: string | null) => unknown;
  /** What is shown; nothing without it. */
  children: ComponentChildren;
};

/** A text that is changed where it stands: pressing it turns it into a field, leaving that saves, and Escape does not. */
export function InPlaceText({ label, value, none, save, children, ...field }: InPlaceProps) {
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const off = useOff();
  if (!useCanWrite()) return <>{children}</>;
  const end = (text: string | null) => {
    setEditing(false);
    requestAnimationFrame(() => button.current?.focus({ preventScroll: true }));
    if (text !== value) save(text);
  };
  if (isEditing) return <TextInPlace label={label} value={value} {...field} onEnd={end} />;
  const isEmpty = value === null && !children;
  return (
    <button
      ref={button}
      type="button"
      class={isEmpty ? "word" : "edited"}
      disabled={!!off}
      title={off ?? (isEmpty ? undefined : "Edit")}
      onClick={() => setEditing(true)}
    >
      {isEmpty ? none : children}
      <span class="unseen"> ({isEmpty ? label : `edit ${label.toLowerCase()}`})</span>
    </button>
  );
}

type FieldProps = Pick<InPlaceProps, "label" | "value" | "isLong" | "maxLength" | "placeholder"> & {
  /** With the text as it is from now on. */
  onEnd: (text: string | null) => void;
};

function TextInPlace({ label, value, isLong, onEnd, ...rest }: FieldProps) {
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  // A field that is removed loses the focus, which must not save what Escape has left.
  const isOver = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (text: string | null) => {
    if (isOver.current) return;
    isOver.current = true;
    onEnd(text);
  };
  const textNow = () => field.current?.value.trim() || null;
  const ties = {
    ref: field,
    class: "edited-field",
    "aria-label": label,
    defaultValue: value ?? "",
    ...rest,
    onBlur: () => end(textNow()),
    onKeyDown: (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey } = event;
      if (key === "Escape") end(value);
      else if (key === "Enter" && (!isLong || ctrlKey || metaKey)) end(textNow());
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
  return isLong ? <textarea {...ties} rows={4} /> : <input {...ties} type="text" />;
}
