import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Confirm, Dialog } from "../components/dialog.tsx";
import {
  CloseFooter,
  EmailField,
  Field,
  FormFooter,
  Problem,
  problemOf,
} from "../components/form.tsx";
import { Copyable } from "../components/secret.tsx";
import { type Invitation, passwordUrl } from "../lib/account.ts";
import { withTexts } from "../lib/browser.ts";

type InviteProps<T extends string> = {
  title: string;
  choice: { label: string; name: string; options: readonly T[]; first: T };
  invite: (email: string, chosen: T) => Promise<Invitation>;
  /** Query key of the list that shows the person. */
  list: string[];
  onClose: () => void;
};

/** Creates a user and shows the link for setting a password. */
export function Invite<T extends string>({ title, choice, invite, list, onClose }: InviteProps<T>) {
  const client = useQueryClient();
  const invitation = useMutation({
    mutationFn: ({ email, chosen }: { email: string; chosen: T }) => invite(email, chosen),
    // A value that is shown only once does not wait for a refetch.
    onSuccess: () => void client.invalidateQueries({ queryKey: list }),
  });
  const submit = withTexts(["email", "chosen"], ({ email, chosen }) => {
    invitation.mutate({ email, chosen: chosen as T });
  });
  if (invitation.data) return <PasswordLink invitation={invitation.data} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <EmailField problem={problemOf(invitation.error, "email")} />
        <Field label={choice.label} problem={problemOf(invitation.error, choice.name)}>
          {(ties) => (
            <select {...ties} name="chosen" defaultValue={choice.first}>
              {choice.options.map((option) => (
                <option key={option} value={option} selected={option === choice.first}>
                  {option}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Problem error={invitation.error} fields={["email", choice.name]} />
        <FormFooter action="Create" busy={invitation.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

type NewPasswordLinkProps = {
  person: { email: string; two_factor: boolean };
  make: () => Promise<Invitation>;
  onClose: () => void;
};

/** Creates a password link, after confirmation that the person's sessions end. */
export function NewPasswordLink({ person, make, onClose }: NewPasswordLinkProps) {
  const reset = useMutation({ mutationFn: make });
  if (reset.data) return <PasswordLink invitation={reset.data} onClose={onClose} />;
  return (
    <Confirm
      title="Create a new password link?"
      action="End sessions and create link"
      change={reset}
      onClose={onClose}
    >
      <p class="name">{person.email}</p>
      <p>
        All of their sessions end now. The link works once, within 30 minutes.
        {person.two_factor && " They also need a code from their app or a recovery code."}
      </p>
    </Confirm>
  );
}

/** Shown only once, since anyone who has the link can sign in. */
const PasswordLink = ({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) => (
  <Dialog title={`A link for ${invitation.email}`} onClose={onClose}>
    <p>Send it to them privately. It works once, within 30 minutes, and is not shown again.</p>
    <Copyable label="Password link" value={passwordUrl(invitation)} />
    <CloseFooter label="I have copied it" onClose={onClose} />
  </Dialog>
);
