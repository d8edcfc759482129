import { useEffect, useRef, useState } from "preact/hooks";
import { GROUP_COLORS } from "../data/groups.ts";
import { Field, FieldProblem, TextField } from "../ui/field.tsx";

type DraftProps = {
  label: string;
  /** The field of the API, whose problems are shown. */
  name: string;
  value: string;
  hint?: string;
  maxLength?: number;
  type?: "text" | "date";
  save: (text: string) => Promise<unknown>;
};

/** A text that is saved when the field is left or with Enter. Escape takes back what was typed. */
export function DraftText({ value, save, ...field }: DraftProps) {
  const { text, ...ties } = useDraft(value, save);
  return <TextField {...field} {...ties} value={text} autoComplete="off" />;
}

/** A text of several lines, which is saved when the field is left. */
export function DraftArea({ label, name, value, save, maxLength }: DraftProps) {
  const { text, error, onInput, onBlur } = useDraft(value, save);
  return (
    <Field label={label} name={name} error={error}>
      {(ties) => <textarea {...ties} {...{ maxLength, onInput, onBlur }} rows={2} value={text} />}
    </Field>
  );
}

/** What is typed stays until it is saved, also while someone else changes the value. */
function useDraft(value: string, save: (text: string) => Promise<unknown>) {
  const [draft, setDraft] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const isUnsaved = useRef(false);
  useEffect(() => {
    if (!isUnsaved.current) setDraft(null);
  }, [value]);
  const drop = () => {
    isUnsaved.current = false;
    setDraft(null);
    setError(null);
  };
  const commit = async () => {
    if (draft === null || !isUnsaved.current) return;
    if (draft === value) return drop();
    isUnsaved.current = false;
    try {
      await save(draft.replaceAll("\r\n", "\n"));
      setError(null);
    } catch (reason) {
      isUnsaved.current = true;
      setError(reason as Error);
    }
  };
  return {
    text: draft ?? value,
    error,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      isUnsaved.current = true;
      setDraft(currentTarget.value);
    },
    onBlur: () => void commit(),
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === "Enter") void commit();
      if (key === "Escape") drop();
    },
  };
}

type ColorFieldProps = { value: string; onPick: (color: string) => void };

/** The palette of groups, and any other color. */
export const ColorField = ({ value, onPick }: ColorFieldProps) => (
  <fieldset class="swatches">
    <legend>Color</legend>
    {GROUP_COLORS.map(({ name, color }) => (
      <input
        key={color}
        type="radio"
        aria-label={name}
        title={name}
        checked={color === value.toUpperCase()}
        style={{ "--swatch": color }}
        onChange={() => onPick(color)}
      />
    ))}
    <input
      type="color"
      aria-label="Other color"
      title="Other color"
      value={value.toLowerCase()}
      onChange={({ currentTarget }) => onPick(currentTarget.value.toUpperCase())}
    />
    <FieldProblem name="color" />
  </fieldset>
);
