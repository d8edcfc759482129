import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { Download } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../components/dialog.tsx";
import {
  CloseFooter,
  CodeField,
  FormFooter,
  PasswordField,
  Problem,
  problemOf,
} from "../components/form.tsx";
import { Copyable } from "../components/secret.tsx";
import { ACCOUNT, beginTwoFactor, confirmTwoFactor } from "../lib/account.ts";
import { withTexts } from "../lib/browser.ts";
import { setSession, useUser } from "../lib/session.ts";

type Closable = { onClose: () => void };

/** Asks for the password, then for a first code, then shows the recovery codes. */
export function BeginTwoFactor({ onClose }: Closable) {
  const client = useQueryClient();
  const begun = useMutation({ mutationFn: beginTwoFactor });
  const confirmed = useMutation({
    mutationFn: confirmTwoFactor,
    onSuccess: async ({ recovery_codes: _, ...session }) => {
      await setSession(client, session);
      client.invalidateQueries({ queryKey: ACCOUNT });
    },
  });
  if (confirmed.data) return <FreshCodes codes={confirmed.data.recovery_codes} onClose={onClose} />;
  if (begun.data) {
    const { error, isPending, mutate } = confirmed;
    const form = { error, busy: isPending, onSubmit: mutate, onClose };
    return <ConfirmDialog key="confirm" {...begun.data} {...form} />;
  }
  return (
    <Dialog key="password" title="Turn on two-factor sign-in" onClose={onClose}>
      <PasswordForm
        error={begun.error}
        busy={begun.isPending}
        onSubmit={begun.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

/** Only the button closes the dialog. */
export function FreshCodes({ codes, onClose }: Closable & { codes: string[] }) {
  const { email } = useUser();
  return (
    <Dialog key="codes" title="Your recovery codes" onClose={onClose}>
      <RecoveryCodes codes={codes} email={email} />
      <CloseFooter label="I have saved them" onClose={onClose} />
    </Dialog>
  );
}

type FormProps<T> = Closable & {
  error: Error | null;
  busy: boolean;
  onSubmit: (answers: T) => void;
};

function PasswordForm({ error, busy, onSubmit, onClose }: FormProps<{ password: string }>) {
  const submit = withTexts(["password"], onSubmit);
  return (
    <form onSubmit={submit}>
      <p>
        You need an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator, or a
        password manager that makes codes.
      </p>
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        problem={problemOf(error, "password")}
      />
      <Problem error={error} fields={["password"]} />
      <FormFooter action="Continue" busy={busy} onClose={onClose} />
    </form>
  );
}

type ConfirmProps = FormProps<{ code: string }> & { secret: string; uri: string };

function ConfirmDialog({ secret, uri, error, busy, onSubmit, onClose }: ConfirmProps) {
  const submit = withTexts(["code"], onSubmit);
  return (
    <Dialog title="Connect your app" onClose={onClose}>
      <form onSubmit={submit}>
        <div class="pairing">
          <QrCode text={uri} label="QR code for your authenticator app" />
          <div>
            <p>Scan the picture with your app, or type this key into it:</p>
            <p>
              <code class="key-groups">{groupsOf(secret)}</code>
            </p>
            <p class="hint">Time-based, 6 digits, 30 seconds.</p>
          </div>
        </div>
        <CodeField kind="app" problem={problemOf(error, "code")} isNext />
        <Problem error={error} fields={["code"]} />
        <p class="hint">Your other sessions end when it is turned on.</p>
        <FormFooter action="Turn on" busy={busy} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const groupsOf = (secret: string) => secret.replace(/.{4}(?=.)/g, "$& ");

/** Keeps its place while the encoder is loading. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    import("uqr").then(({ encode }) => {
      const { size, data } = encode(text, { ecc: "M", border: 3 });
      if (isWanted) setDrawn({ size, path: pathOf(data) });
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  return (
    <div class="qr">
      {drawn && (
        <svg viewBox={`0 0 ${drawn.size} ${drawn.size}`} role="img" aria-label={label}>
          <path d={drawn.path} />
        </svg>
      )}
    </div>
  );
}

/** A square for each dark module. */
const pathOf = (rows: boolean[][]) =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");

/** Recovery codes, which are shown only once. */
const RecoveryCodes = ({ codes, email }: { codes: string[]; email: string }) => (
  <div class="secret recovery">
    <p class="notice notice-warn">
      Keep these codes in a place other than your phone. They are not shown again.
    </p>
    <Copyable label="Recovery codes" value={codes.join("\n")} rows={codes.length} />
    <p class="hint">Each works once, when you do not have your authenticator app.</p>
    <DownloadText name="stillup-recovery-codes.txt" text={fileOf(codes, email)}>
      Download
    </DownloadText>
  </div>
);

type DownloadTextProps = { name: string; text: string; children: string };

function DownloadText({ name, text, children }: DownloadTextProps) {
  const [href, setHref] = useState("");
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return (
    <a class="button" href={href} download={name}>
      <Download aria-hidden="true" />
      {children}
    </a>
  );
}

const fileOf = (codes: string[], email: string) =>
  [
    `Stillup recovery codes of ${email} at ${location.origin}`,
    "Each works once.",
    "",
    ...codes,
    "",
  ].join("\n");
