import { Check, Copy } from "lucide-preact";
import { useId, useRef, useState } from "preact/hooks";
import { copyFrom } from "../lib/browser.ts";

/** An API key, which is shown only once. */
export function Secret({ value }: { value: string }) {
  return (
    <div class="secret">
      <p class="notice notice-warn">
        Copy the key now. Only its hash is kept, so it cannot be shown again.
      </p>
      <Copyable label="API key" value={value} />
      <Copyable
        label="Try it in a terminal"
        value={`curl -H "Authorization: Bearer ${value}" ${location.origin}/api/v1/links`}
      />
    </div>
  );
}

/** A webhook's signing secret, which is shown only once. */
export const SigningSecret = ({ value }: { value: string }) => (
  <div class="secret">
    <p class="notice notice-warn">
      Copy the secret now. It is kept encrypted and cannot be shown again.
    </p>
    <Copyable label="Signing secret" value={value} rows={1} />
  </div>
);

type CopyableProps = { label: string; value: string; rows?: number };

export function Copyable({ label, value, rows = 2 }: CopyableProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState("");
  const isCopied = copied === value;
  const copy = async () =>
    setCopied(field.current !== null && (await copyFrom(field.current)) ? value : "");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="with-button">
        <textarea
          id={id}
          ref={field}
          class="code"
          rows={rows}
          readOnly
          value={value}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" aria-label={`Copy ${label}`} onClick={copy}>
          {isCopied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
          {isCopied ? "Copied" : "Copy"}
        </button>
      </span>
      <span role="status" class="unseen">
        {isCopied ? `${label}: copied` : ""}
      </span>
    </div>
  );
}
