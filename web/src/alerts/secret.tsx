import { useState } from "preact/hooks";
import type { Alert } from "../data/alerts.ts";
import { api, asSent, RequestFailed, unwrap } from "../data/api.ts";
import { clockText } from "../data/format.ts";
import { gracesOf, USUAL_GRACE } from "../data/words.ts";
import { Ask, type Closable, ShownOnce } from "../frame/ask.tsx";
import { Seg } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { Copyable } from "../ui/secrets.tsx";
import { ALERTS } from "./queries.ts";

/** Asks first: it cannot be undone. */
export function RotateSecret({ alert, onClose }: Closable & { alert: Alert }) {
  const [seconds, setSeconds] = useState(USUAL_GRACE);
  const rotate = () =>
    unwrap(
      api
        .webhooks({ id: alert.id })
        ["rotate-secret"].post(asSent({ grace_period_seconds: seconds })),
    ).catch(failInOurWords);
  return (
    <Ask
      title="Rotate the signing secret"
      action="Create secret"
      class="form alert-form"
      send={rotate}
      result={(rotated) => (
        <ShownOnce title="New signing secret" action="Done" onClose={onClose}>
          <SigningSecret value={rotated.signing_secret} />
          <p class="hint">{oldSecretsText(rotated.previous_secrets_expire_at)}</p>
        </ShownOnce>
      )}
      renews={[ALERTS]}
      onClose={onClose}
    >
      <p>
        Until the old secret expires, every message is signed with both, so that your receiver can
        switch without missing one.
      </p>
      <SelectField
        label="The old secret expires"
        name="grace_period_seconds"
        options={gracesOf("secret")}
        value={seconds}
        onChange={setSeconds}
      />
    </Ask>
  );
}

function oldSecretsText(ends: string[]): string {
  if (ends.length === 0) return "All old secrets have expired. Only this one is valid now.";
  const moments = ends.map((at) => clockText(at, Date.now())).join(" and ");
  return `${ends.length === 1 ? "The old one is" : "Two old ones are"} valid until ${moments}.`;
}

/** The server's message names an API field. */
function failInOurWords(error: Error): never {
  const details = error instanceof RequestFailed ? error.details : {};
  if (details.reason !== "too_many_secrets") throw error;
  const firstEnd = clockText(String(details.firstExpiresAt), Date.now());
  throw new Error(
    `Two old secrets are still valid, which is the maximum. Wait until ${firstEnd}, or end all old ones now.`,
  );
}

/** Shows a secret, which is shown only once. */
export const SigningSecret = ({ value }: { value: string }) => (
  <>
    <p class="notice">Copy the secret now. It cannot be shown again.</p>
    <Copyable label="Signing secret" value={value} once />
  </>
);

const TYPESCRIPT = `// npm install standardwebhooks
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET!);

/** Throws unless the message is ours and new. \`body\`: the raw bytes. */
export const verify = (headers: Headers, body: Buffer) =>
  webhook.verify(body, Object.fromEntries(headers));`;

const PYTHON = `import base64, hmac, time

def verify(secret: str, headers, body: bytes) -> None:
    """Raises unless the message is ours and new. body: the raw bytes."""
    sent = headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        raise ValueError("the message is too old or too new")
    signed = f"{headers['webhook-id']}.{sent}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    right = b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256"))
    given = headers["webhook-signature"].encode().split()
    if not any(hmac.compare_digest(each, right) for each in given):
        raise ValueError("bad signature")`;

const EXAMPLES = { TypeScript: TYPESCRIPT, Python: PYTHON };
type Language = keyof typeof EXAMPLES;

/** How a receiver checks that a message is ours. */
export function VerifyingExample() {
  const [language, setLanguage] = useState<Language>("TypeScript");
  return (
    <div class="example">
      <Seg<Language>
        label="Language"
        tiny
        value={language}
        options={(Object.keys(EXAMPLES) as Language[]).map((value) => ({ value, label: value }))}
        onChange={setLanguage}
      />
      <Copyable label={`Verify in ${language}`} value={EXAMPLES[language]} rows={6} />
      <p class="hint">
        Respond with 2xx within 15 seconds and drop repetitions by <code>webhook-id</code>. Every
        message and field is in the{" "}
        <a href="/docs" target="_blank" rel="noopener">
          documentation
        </a>
        .
      </p>
    </div>
  );
}
