import { useEffect, useRef } from "preact/hooks";
import { Field } from "./field.tsx";

/** Where a code comes from; a form may take either. */
type CodeKind = "app" | "recovery" | "either";

const KINDS = {
  app: { label: "Code from your app", mode: "numeric", hint: "6 digits, new every 30 seconds." },
  recovery: {
    label: "Recovery code",
    mode: "text",
    hint: (
      <>
        None left? On the server, <code>stillup user remove-2fa</code> takes the second factor away.
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
  kind: CodeKind;
  problem: string | undefined;
  /** Whether it is what comes next: it takes the focus, and again when it was wrong. */
  isNext?: boolean;
};

/** A code of the second factor. */
export function CodeField({ kind, problem, isNext = false }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const { label, mode, hint } = KINDS[kind];
  // In the hint's place, so that nothing below moves.
  const words = problem ? { problem } : { hint };
  useEffect(() => {
    if (isNext) input.current?.select();
  }, [isNext, kind, problem]);
  return (
    <Field label={label} {...words}>
      {(ties) => (
        <input
          {...ties}
          ref={input}
          class="code one-time"
          type="text"
          name="code"
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
