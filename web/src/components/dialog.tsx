import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Problem } from "./form.tsx";

type DialogProps = { title: string; onClose: () => void; children: ComponentChildren };

/** The first field, or "Cancel" if there is none. */
const FIRST = "input, textarea, select, footer button";

/** A modal dialog, open for as long as it is rendered. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  const dialog = useModal(FIRST);
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon plain" aria-label="Close" onClick={onClose}>
          <X aria-hidden="true" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

type CoverProps = { title: string; children: ComponentChildren };

/** Hides the page and its dialogs for as long as it is rendered. The user cannot close it. */
export function Cover({ title, children }: CoverProps) {
  const id = useId();
  const dialog = useModal("[name=password]");
  return (
    <dialog
      ref={dialog}
      class="cover"
      aria-labelledby={id}
      onCancel={(event) => event.preventDefault()}
      onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
    >
      <h1 id={id}>{title}</h1>
      {children}
    </dialog>
  );
}

/** Opens the dialog, focuses the `first` match, and returns the focus at the end. */
function useModal(first: string) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    element?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return dialog;
}

type ConfirmProps = {
  title: string;
  /** What the button does: "Delete link". */
  action: string;
  change: { isPending: boolean; error: Error | null; mutate: () => void };
  isDisabled?: boolean;
  onClose: () => void;
  children: ComponentChildren;
};

/** Asks before an irreversible change. The second click of a double click does not count. */
export function Confirm(props: ConfirmProps) {
  const { title, action, change, isDisabled = false, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Problem error={change.error} />
      <footer>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="danger"
          disabled={change.isPending || isDisabled}
          onClick={(event) => event.detail < 2 && change.mutate()}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  );
}
