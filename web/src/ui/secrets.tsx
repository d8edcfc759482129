import { Check, Copy } from "lucide-preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { copyFrom, useAskBeforeLeaving } from "../data/browser.ts";
import { Button } from "./button.tsx";
import { Field, useProblems } from "./field.tsx";

export const PASSWORD_RULE =
  "At least 15 characters of any kind. A few words in a row are easy to remember.";

/** A password together with a second factor may be shorter. */
export const SHORTER_RULE =
  "At least 8 characters of any kind, since you sign in with a code as well; 15 are better.";

const CODES = {
  app: { label: "Code from your app", mode: "numeric", hint: "6 digits, new every 30 seconds." },
  recovery: {
    label: "Recovery code",
    mode: "text",
    hint: (
      <>
        None left? On the server, <code>stillup user remove-2fa</code> removes the second factor.
      </>
    ),
  },
  either: {
    label: "Code",
    mode: "text",
    hint: "From your authenticator app, or a recovery code.",
  },
} as const;

type CodeFieldProps = {
  kind: keyof typeof CODES;
  /** Whether the field takes the focus, and takes it again after a wrong code. */
  isNext?: boolean;
};

/** A two-factor code. */
export function CodeField({ kind, isNext = false }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const { label, mode, hint } = CODES[kind];
  const problem = useProblems("code").join();
  useEffect(() => {
    if (isNext) input.current?.select();
  }, [isNext, kind, problem]);
  return (
    // A problem replaces the hint, so that nothing below moves.
    <Field label={label} name="code" {...(!problem && { hint })}>
      {(ties) => (
        <input
          {...ties}
          ref={input}
          type="text"
          required
          inputMode={mode}
          maxLength={64}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellcheck={false}
        />
      )}
    </Field>
  );
}

type CopyableProps = {
  label: string;
  value: string;
  rows?: number;
  /** It is not shown again: the browser asks before it is left without a copy. */
  once?: boolean;
  onCopied?: () => void;
};

/** A value to copy, such as a key that is shown only once. */
export function Copyable({ label, value, rows = 1, once = false, onCopied }: CopyableProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [copied, setCopied] = useState("");
  const isCopied = copied === value;
  const word = isCopied ? "Copied" : "Copy";
  useAskBeforeLeaving(once && !isCopied);
  const copy = async () => {
    const isDone = field.current !== null && (await copyFrom(field.current));
    setCopied(isDone ? value : "");
    if (isDone) onCopied?.();
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span>
        <textarea
          id={id}
          ref={field}
          rows={rows}
          readOnly
          value={value}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button icon={isCopied ? Check : Copy} aria-label={`${word} ${label}`} onClick={copy}>
          {word}
        </Button>
      </span>
      <span role="status" class="unseen">
        {isCopied ? `${label}: copied` : ""}
      </span>
    </div>
  );
}
