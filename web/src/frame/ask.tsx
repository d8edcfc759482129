import { type QueryKey, useMutation, useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Form } from "../ui/field.tsx";
import { Dialog, Sheet } from "../ui/overlay.tsx";
import { useToast } from "./toast.tsx";

export type Closable = { onClose: () => void };

type AskProps<Result> = Closable & {
  title: string;
  /** What the button says. */
  action: string;
  /** A sheet has room for more fields. */
  isSheet?: boolean;
  class?: string;
  /** For what cannot be undone. */
  danger?: boolean;
  isDisabled?: boolean;
  send: (form: FormData) => Promise<Result>;
  /** What the toast says when the dialog has closed. */
  said?: string | undefined;
  undo?: () => Promise<unknown>;
  /** What the dialog becomes instead, to show a value that is shown only once. */
  result?: (result: Result) => ComponentChildren;
  /** Queries to refetch. */
  renews?: QueryKey[];
  /** What else can be done, at the other end of the buttons. @param form its id */
  more?: (form: string) => ComponentChildren;
  children: ComponentChildren;
};

/** A dialog that asks before something is done, with fields for what that takes. */
export function Ask<Result>(props: AskProps<Result>) {
  const { title, action, danger = false, said, undo, renews = [], onClose } = props;
  const id = useId();
  const toast = useToast();
  const client = useQueryClient();
  // A value that is shown only once does not wait for it.
  const renew = () => renews.map((queryKey) => client.invalidateQueries({ queryKey }));
  const sending = useMutation({
    mutationFn: props.send,
    onSuccess: () => {
      if (said) toast(said, undo && (() => undo().finally(renew)));
      if (!props.result) onClose();
    },
    onSettled: () => void renew(),
  });
  if (props.result && sending.isSuccess) return <>{props.result(sending.data)}</>;
  const look = danger ? { danger } : { primary: true };
  const Overlay = props.isSheet ? Sheet : Dialog;
  return (
    <Overlay
      title={title}
      onClose={onClose}
      foot={
        <>
          {props.more?.(id)}
          <span class="gap" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={id}
            {...look}
            busy={sending.isPending}
            disabled={props.isDisabled}
          >
            {action}
          </Button>
        </>
      }
    >
      <Form id={id} class={props.class ?? "form"} error={sending.error} onSubmit={sending.mutate}>
        {props.children}
      </Form>
    </Overlay>
  );
}

type ShownOnceProps = Closable & {
  title: string;
  /** What the only button says. */
  action: string;
  children: ComponentChildren;
};

/** A secret that cannot be shown again, so only the button closes the dialog. */
export const ShownOnce = ({ title, action, onClose, children }: ShownOnceProps) => (
  <Dialog
    title={title}
    foot={
      <>
        <span class="gap" />
        <Button primary onClick={onClose}>
          {action}
        </Button>
      </>
    }
  >
    <div class="form">{children}</div>
  </Dialog>
);
