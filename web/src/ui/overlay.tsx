import { X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { IconButton } from "./button.tsx";

type OverlayProps = {
  title: string;
  /** Without it, only what is inside closes it. */
  onClose?: () => void;
  /** The row of buttons at the bottom. */
  foot?: ComponentChildren;
  children: ComponentChildren;
};

/** A panel at the right, on a phone from the bottom, open for as long as it is rendered. */
export const Sheet = (props: OverlayProps) => <Modal {...props} look="sheet" />;

/** A small dialog in the middle, only for what cannot be undone. */
export const Dialog = (props: OverlayProps) => <Modal {...props} look="dialog" />;

function Modal({ title, onClose, foot, children, look }: OverlayProps & { look: string }) {
  const id = useId();
  const dialog = useModal(
    "[data-first], .over-in :is(input, textarea, select), .sheet-foot button",
  );
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: links are clicked by keyboard as well.
    <dialog
      ref={dialog}
      class={look}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // The page that a link leads to may be the one below.
      onClick={(event) => leadsAway(event) && onClose?.()}
      // A browser closes it at the second Escape in any case.
      onClose={({ currentTarget }) =>
        !onClose && currentTarget.isConnected && currentTarget.showModal()
      }
    >
      <header class="dr-bar">
        <h2 id={id}>{title}</h2>
        <span class="gap" />
        {onClose && <IconButton icon={X} label="Close" onClick={onClose} />}
      </header>
      <div class="over-in">{children}</div>
      {foot && <footer class="sheet-foot">{foot}</footer>}
    </dialog>
  );
}

/** Whether the click follows a link in this tab. */
function leadsAway(event: MouseEvent): boolean {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
  const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  return link !== null && !isElsewhere && link.target === "" && !link.hasAttribute("download");
}

/** Covers the page and its dialogs. The user cannot close it. */
export function Cover({ title, children }: Pick<OverlayProps, "title" | "children">) {
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
export function useModal(first: string) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    element?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected)
        opener.focus({ preventScroll: true });
    };
  }, []);
  return dialog;
}

type DrawerProps = { label: string; head: ComponentChildren; children: ComponentChildren };

/** A panel next to a list that follows its current row. */
export const Drawer = ({ label, head, children }: DrawerProps) => (
  <aside class="drawer" aria-label={label}>
    <header class="dr-bar">{head}</header>
    <div class="dr-in">{children}</div>
  </aside>
);
