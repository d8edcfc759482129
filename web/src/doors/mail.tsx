import { useMutation, useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { api, unwrap } from "../data/api.ts";
import { requestPasswordMail, type Session } from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { Form, Problem, textsIn } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Door, EmailField } from "./sign-in.tsx";

type PageProps = { session: Session };

/** Asks for a link for a new password. */
export function ForgotPage({ session }: PageProps) {
  const request = useMutation({ mutationFn: requestPasswordMail });
  if (request.isSuccess) {
    return (
      <Door title="Check your mail" insecure={session.insecure}>
        <p class="door-lead" role="status">
          If {request.variables} belongs to a user here, a link for a new password is on its way. It
          works once, within 30 minutes.
        </p>
        <Button href="/sign-in">Back to sign-in</Button>
      </Door>
    );
  }
  return (
    <Door title="Forgot your password?" insecure={session.insecure}>
      <p class="door-lead">Enter your e-mail address to get a link for a new one.</p>
      <Form onSubmit={(form) => request.mutate(textsIn(form, "email").email)} error={request.error}>
        <EmailField />
        <Button type="submit" primary busy={request.isPending}>
          Send link
        </Button>
        <p class="hint">
          <a href="/sign-in">Back to sign-in</a>
        </p>
      </Form>
    </Door>
  );
}

type Subscription = Awaited<ReturnType<typeof confirm>>;
type Choice = "unsubscribe" | "refuse" | "subscribe";

const confirm = (token: string) => unwrap(api.mail.confirm({ token }).post());

/** The token in the page's own address. */
const tokenHere = () => location.pathname.split("/").pop()!;

/** The target of the link that asks the owner of an address to agree to mail. */
export function ConfirmPage({ session }: PageProps) {
  const token = tokenHere();
  const agreement = useMutation({ mutationFn: () => confirm(token) });
  return (
    <MailDoor purpose="confirm" session={session} done={agreement.data}>
      {({ address, name, account, state }) =>
        state === "active" ? (
          <Said title="You are subscribed">
            <b>{address}</b> gets {alertWords(name)} of {account}. Every message has a link to
            unsubscribe.
          </Said>
        ) : state === "unconfirmed" ? (
          <>
            <h1>Confirm your address</h1>
            <p class="door-lead">
              {account} wants to send {alertWords(name)} to <b>{address}</b>. If you did not expect
              this, close the page, and you will get nothing.
            </p>
            <Problem error={agreement.error} />
            <Button primary busy={agreement.isPending} onClick={() => agreement.mutate()}>
              Confirm
            </Button>
          </>
        ) : (
          <Unneeded state={state} />
        )
      }
    </MailDoor>
  );
}

/** The target of the link in the footer of each message. */
export function UnsubscribePage({ session }: PageProps) {
  const token = tokenHere();
  const choice = useMutation({
    mutationFn: (to: Choice) => unwrap(api.mail.unsubscribe({ token }).post({ to })),
  });
  const button = (to: Choice, text: string, primary = false) => (
    <Button
      primary={primary}
      busy={choice.isPending && choice.variables === to}
      onClick={() => choice.mutate(to)}
    >
      {text}
    </Button>
  );
  return (
    <MailDoor purpose="unsubscribe" session={session} done={choice.data}>
      {({ address, name, account, state }) =>
        state === "unsubscribed" || state === "refused" ? (
          <>
            <Said title="You are unsubscribed">
              <b>{address}</b> gets no more {state === "refused" ? "mail" : alertWords(name)} of{" "}
              {account}.
            </Said>
            <Problem error={choice.error} />
            <div class="door-choices">
              {button("subscribe", "Subscribe again")}
              {state === "unsubscribed" && button("refuse", `Refuse all mail of ${account}`)}
            </div>
          </>
        ) : state === "account" ? (
          <>
            <h1>Refuse all mail</h1>
            <p class="door-lead">
              {account} can send mail to <b>{address}</b>, such as invitations, until you refuse it.
            </p>
            <Problem error={choice.error} />
            <div class="door-choices">
              {button("refuse", `Refuse all mail of ${account}`, true)}
            </div>
          </>
        ) : (
          <>
            <h1>Unsubscribe</h1>
            <p class="door-lead">
              <b>{address}</b> gets {alertWords(name)} of {account}.
            </p>
            <Problem error={choice.error} />
            <div class="door-choices">
              {button("unsubscribe", "Unsubscribe", true)}
              {button("refuse", `Refuse all mail of ${account}`)}
            </div>
          </>
        )
      }
    </MailDoor>
  );
}

const alertWords = (name: string | null) => (name ? `the alert “${name}”` : "an alert");

const Said = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <>
    <h1>{title}</h1>
    <p class="door-lead" role="status">
      {children}
    </p>
  </>
);

const Unneeded = ({ state }: { state: Subscription["state"] }) => (
  <Said title="Nothing to confirm">
    {state === "gone" || state === "paused"
      ? "The alert that this link is for was deleted, paused or changed."
      : "You have unsubscribed since this link was sent."}
  </Said>
);

type MailDoorProps = PageProps & {
  purpose: "confirm" | "unsubscribe";
  /** The state after what the person did. */
  done: Subscription | undefined;
  children: (subscription: Subscription) => ComponentChildren;
};

/** Shows what the link in the page's address is about. */
function MailDoor({ purpose, session, done, children }: MailDoorProps) {
  const token = tokenHere();
  const found = useQuery({
    queryKey: ["mail", purpose, token],
    queryFn: () => unwrap(api.mail({ purpose })({ token }).get()),
  });
  return (
    <Door title={purpose === "confirm" ? "Confirm your address" : "Unsubscribe"} {...session} bare>
      <Loaded query={done ? { ...found, data: done } : found}>{children}</Loaded>
    </Door>
  );
}
