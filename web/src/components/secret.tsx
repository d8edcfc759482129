import { Check, Copy } from "lucide-preact";
import { useId, useRef, useState } from "preact/hooks";
import { copyFrom } from "../lib/copy.ts";

/** A key in the only moment in which it exists in clear, and how to use it. */
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

function Copyable({ label, value }: { label: string; value: string }) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => setCopied(field.current !== null && (await copyFrom(field.current)));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="with-button">
        <textarea
          id={id}
          ref={field}
          class="code"
          rows={2}
          readOnly
          value={value}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" aria-label={`Copy ${label}`} onClick={copy}>
          {copied ? <Check aria-hidden="true" /> : <Copy aria-hidden="true" />}
          {copied ? "Copied" : "Copy"}
        </button>
      </span>
      <span role="status" class="unseen">
        {copied ? `${label}: copied` : ""}
      </span>
    </div>
  );
}
