import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

type ConfirmProps = {
  title: string;
  /** What the button does: "Delete link". */
  action: string;
  busy: boolean;
  error: Error | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
};

/** Asks before something that cannot be taken back. The second half of a double click is no answer. */
export function Confirm(props: ConfirmProps) {
  const { title, action, busy, error, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem error={error} />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={busy}
          onClick={(event) => event.detail < 2 && onConfirm()}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
