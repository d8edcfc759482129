import { useMutation } from "@tanstack/preact-query";
import { KeyRound } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import {
  type ProviderFailure,
  type ProviderVisit,
  type Session,
  startAtProvider,
  useUser,
} from "../data/session.ts";
import { Button } from "./button.tsx";
import { Problem as FormProblem, PasswordField } from "./field.tsx";
import { CodeField } from "./secrets.tsx";

type Oidc = NonNullable<Session["oidc"]>;

type ButtonProps = {
  oidc: Oidc;
  visit: ProviderVisit;
  primary?: boolean;
  /** Leads on without a click. */
  isAtOnce?: boolean;
  children?: string;
};

/** Leads to the OpenID provider, which leads back. */
export function ProviderButton({ oidc, visit, primary, isAtOnce, children }: ButtonProps) {
  const start = useMutation({
    mutationFn: () => startAtProvider(visit),
    // The page is about to be left.
    onSuccess: (url) => location.assign(url),
  });
  useEffect(() => {
    if (isAtOnce) start.mutate();
  }, [isAtOnce]);
  const reason = reasonOf(start.error);
  return (
    <>
      {reason ? (
        <p class="failed bad provider-problem" role="alert">
          {sentenceOf(reason, oidc)}
        </p>
      ) : (
        <FormProblem error={start.error} />
      )}
      <Button
        icon={KeyRound}
        {...(primary && { primary })}
        class="provider"
        busy={start.isPending || start.isSuccess}
        onClick={() => start.mutate()}
      >
        {children ?? `Continue with ${oidc.name}`}
      </Button>
    </>
  );
}

function reasonOf(error: Error | null): ProviderFailure | null {
  const { reason } = (error as { details?: { reason?: string } } | null)?.details ?? {};
  return reason !== undefined && reason in SENTENCES ? (reason as ProviderFailure) : null;
}

/** Why signing in at the provider failed, if the address says so. */
export function ProviderProblem({ oidc }: { oidc: Oidc | null }) {
  const { query } = useLocation();
  const problem = query.problem;
  if (!oidc || problem === undefined || !(problem in SENTENCES)) return null;
  return (
    <p class="failed bad provider-problem" role="alert">
      {sentenceOf(problem as ProviderFailure, oidc)}
    </p>
  );
}

function sentenceOf(problem: ProviderFailure, { name }: Oidc): string {
  const sentence = SENTENCES[problem].replaceAll("NAME", name);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

const SENTENCES: Record<ProviderFailure, string> = {
  refused: "NAME did not sign you in. Try again, or ask the people who run it.",
  expired: "That took too long, was used already, or began in another browser. Try again.",
  unreachable: "NAME cannot be reached now. Try again in a moment.",
  keys_changed: "NAME has changed its keys. Try again in a minute.",
  misconfigured:
    "This server and NAME do not agree. The operator of this server finds the reason in its log.",
  unknown_person:
    "No user here is linked to you. Ask an owner for an invitation, or sign in with your password and link NAME in your profile.",
  email_taken:
    "There is already a user with your e-mail address. Sign in with your password and link NAME in your profile.",
  email_missing: "NAME did not send your e-mail address, which a new user needs.",
  email_unverified: "NAME has not verified your e-mail address, which a new user needs.",
  no_role: "None of your groups may sign in here. Ask an owner of the account.",
  too_many_groups:
    "You are in more groups than NAME sends, so your role is unknown. Ask the operator to limit the groups that it sends.",
  account_full: "The account has as many people as it can have. Ask an owner to remove someone.",
  no_account: "The operator has not set which account new people join: STILLUP_OIDC_ACCOUNT.",
  identity_taken: "You are linked to another user here. Unlink NAME there first.",
  other_person: "Someone else has signed in with NAME. Sign in there as yourself.",
  not_proved:
    "NAME does not say when you signed in, so this proves nothing. Ask the operator to do it on the command line.",
  upgrade_under_way: "The servers are being upgraded. NAME works again when all of them are done.",
};

/** Asks for a proof of who the person is: their password and code, or a fresh sign-in at the provider. */
export function ProofFields({ session }: { session: Session | undefined }) {
  const user = useUser();
  const { path } = useLocation();
  if (!user.proves_at_provider || !session?.oidc) {
    return (
      <>
        <PasswordField label="Your password" required autoComplete="current-password" />
        {user.two_factor && <CodeField kind="either" />}
      </>
    );
  }
  if (isProved(user)) return null;
  const { oidc } = session;
  return (
    <>
      <p>First sign in again with {oidc.name}, to show that it is you. Then come back here.</p>
      <p>
        <ProviderButton oidc={oidc} visit={{ purpose: "prove", to: path }}>
          {`Sign in again with ${oidc.name}`}
        </ProviderButton>
      </p>
    </>
  );
}

/** Whether the person has just signed in at the provider again. */
export const isProved = ({ proved_until }: { proved_until: string | null }) =>
  proved_until !== null && Date.parse(proved_until) > Date.now();
