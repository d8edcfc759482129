import { useId, useState } from "preact/hooks";
import { Copyable } from "./secret.tsx";

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

const EXAMPLES = [
  { language: "TypeScript", code: TYPESCRIPT },
  { language: "Python", code: PYTHON },
];

/** How a receiver makes sure that a message is ours, in a few lines. */
export function VerifyingExample() {
  const id = useId();
  const [chosen, setChosen] = useState(0);
  const step = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next =
      (chosen + (event.key === "ArrowLeft" ? -1 : 1) + EXAMPLES.length) % EXAMPLES.length;
    setChosen(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  const { language, code } = EXAMPLES[chosen]!;
  return (
    <div class="example">
      <div class="tabs" role="tablist" aria-label="Language" onKeyDown={step}>
        {EXAMPLES.map(({ language: name }, index) => (
          <button
            key={name}
            id={`${id}-${index}`}
            type="button"
            role="tab"
            class="plain"
            aria-selected={index === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        <Copyable label={`Verify in ${language}`} value={code} rows={6} />
      </div>
      <p class="hint">
        Answer 2xx within 15 seconds and drop repetitions by <code>webhook-id</code>. Every message
        and field is in the{" "}
        <a href="/docs" target="_blank" rel="noopener">
          documentation
        </a>
        .
      </p>
    </div>
  );
}
