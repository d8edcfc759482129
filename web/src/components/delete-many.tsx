import { useState } from "preact/hooks";
import { counted } from "../lib/counted.ts";
import { Dialog } from "./dialog.tsx";
import { Field } from "./field.tsx";

/** From so many on, a slip of the hand is not enough to delete them. */
const MANY = 100;

type DeleteManyProps = { count: number; onConfirm: () => void; onClose: () => void };

export function DeleteMany({ count, onConfirm, onClose }: DeleteManyProps) {
  const [typed, setTyped] = useState("");
  const isSure = count <= MANY || typed.replace(/[\s,.]/g, "") === String(count);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (isSure) onConfirm();
  };
  return (
    <Dialog title={`Delete ${counted(count, "link")}?`} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          {count === 1 ? "It is" : "They are"} no longer checked, and{" "}
          {count === 1 ? "its" : "their"} history goes with {count === 1 ? "it" : "them"}. This
          cannot be undone.
        </p>
        {count > MANY && <NumberField count={count} onType={setTyped} />}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={!isSure}>
            Delete {counted(count, "link")}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

type NumberFieldProps = { count: number; onType: (typed: string) => void };

const NumberField = ({ count, onType }: NumberFieldProps) => (
  <Field label={`To confirm, type their number: ${count.toLocaleString("en")}`}>
    {(ties) => (
      <input
        {...ties}
        type="text"
        inputMode="numeric"
        autoComplete="off"
        onInput={(event) => onType(event.currentTarget.value)}
      />
    )}
  </Field>
);
