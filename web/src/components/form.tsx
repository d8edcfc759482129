import { Eye, EyeOff } from "lucide-preact";
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { RequestFailed } from "../lib/api.ts";
import { startUpper } from "../lib/format.ts";
import { IconButton } from "./elements.tsx";

type Labelled = {
  label: string;
  hint?: ComponentChildren;
  problem?: string | undefined;
};

type Ties = { id: string; "aria-describedby": string; "aria-invalid": boolean };

type FieldProps = Labelled & { children: (ties: Ties) => ComponentChildren };

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const ties = { id, "aria-describedby": `${id}-about`, "aria-invalid": problem !== undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(ties)}
      <div id={`${id}-about`} class="about" aria-live="polite">
        {problem && <p class="field-problem">{startUpper(problem)}</p>}
        {hint && <p class="hint">{hint}</p>}
      </div>
    </div>
  );
}

type InputProps = Labelled &
  Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | "autoComplete"
    | "class"
    | "defaultValue"
    | "maxLength"
    | "name"
    | "placeholder"
    | "required"
    | "spellcheck"
  >;

export const TextField = ({ label, hint, problem, ...input }: InputProps) => (
  <Field label={label} hint={hint} problem={problem}>
    {(ties) => <input type="text" {...input} {...ties} />}
  </Field>
);

export const EmailField = ({
  problem,
  defaultValue,
}: Pick<Labelled, "problem"> & { defaultValue?: string }) => (
  <Field label="E-mail" problem={problem}>
    {(ties) => (
      <input
        type="email"
        name="email"
        required
        autoComplete="username"
        defaultValue={defaultValue}
        {...ties}
      />
    )}
  </Field>
);

type PasswordFieldProps = Labelled & {
  autoComplete: "new-password" | "current-password";
  name?: string;
};

export function PasswordField(props: PasswordFieldProps) {
  const { label, hint, problem, autoComplete, name = "password" } = props;
  const [shown, setShown] = useState(false);
  const kind = shown ? ({ type: "text" } as const) : ({ type: "password" } as const);
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ties) => (
        <span class="with-button">
          <input {...kind} name={name} required autoComplete={autoComplete} {...ties} />
          <IconButton
            label="Show password"
            title={shown ? "Hide password" : "Show password"}
            icon={shown ? EyeOff : Eye}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          />
        </span>
      )}
    </Field>
  );
}

/** Why a form was rejected, unless its fields already show it. */
export function Problem({ error, fields = [] }: { error: Error | null; fields?: string[] }) {
  return (
    <div role="alert" class="problem-place">
      {error && isUnshown(error, fields) && <p class="problem">{sentenceOf(error, fields)}</p>}
    </div>
  );
}

const isUnshown = (error: Error, fields: string[]) =>
  unshownFields(error, fields).length > 0 || Object.keys(fieldsOf(error)).length === 0;

function sentenceOf(error: Error, fields: string[]): string {
  const unshown = unshownFields(error, fields).map(
    ([name, problems]) => `${name}: ${problems.join(", ")}.`,
  );
  return [error.message, ...unshown].join(" ");
}

const unshownFields = (error: Error, fields: string[]) =>
  Object.entries(fieldsOf(error)).filter(([name]) => !fields.includes(name));

const fieldsOf = (error: Error) => (error instanceof RequestFailed ? error.fields : {});

export const problemOf = (error: Error | null, field: string): string | undefined =>
  error ? fieldsOf(error)[field]?.join(", ") : undefined;

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
  /** Whether the field takes the focus, and takes it again after a wrong code. */
  isNext?: boolean;
};

/** A two-factor code. */
export function CodeField({ kind, problem, isNext = false }: CodeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const { label, mode, hint } = KINDS[kind];
  // Replaces the hint, so that nothing below moves.
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

type FormFooterProps = {
  action: string;
  kind?: "primary" | "danger";
  busy?: boolean;
  onClose: () => void;
};

export const FormFooter = ({ action, kind = "primary", busy, onClose }: FormFooterProps) => (
  <footer>
    <button type="button" onClick={onClose}>
      Cancel
    </button>
    <button type="submit" class={kind} disabled={busy}>
      {action}
    </button>
  </footer>
);

type SelectFieldProps<Value extends string | number> = Labelled & {
  name: string;
  options: readonly { value: Value; name: string }[];
  chosen?: Value;
};

export const SelectField = <Value extends string | number>(props: SelectFieldProps<Value>) => {
  const { name, options, chosen, ...words } = props;
  return (
    <Field {...words}>
      {(ties) => (
        <select {...ties} name={name}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === chosen}>
              {option.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};

/** The only button of a dialog. */
export const CloseFooter = ({ label, onClose }: { label: string; onClose: () => void }) => (
  <footer>
    <button type="button" class="primary" onClick={onClose}>
      {label}
    </button>
  </footer>
);
