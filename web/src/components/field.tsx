import { Eye, EyeOff } from "lucide-preact";
import type { ComponentChildren, InputHTMLAttributes } from "preact";
import { useId, useState } from "preact/hooks";
import { IconButton } from "./icon-button.tsx";

type Labelled = {
  label: string;
  hint?: ComponentChildren;
  problem?: string | undefined;
};

/** What ties an input to its words for those who cannot see both. */
type Ties = { id: string; "aria-describedby": string; "aria-invalid": boolean };

type FieldProps = Labelled & { children: (ties: Ties) => ComponentChildren };

/** A label, an input, a hint, and what is wrong with it. */
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

/** The name that people sign in with. */
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

/** A password that its owner may look at while typing. */
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

/** The server's problems are parts of a sentence: "must be at least 15 characters". */
const startUpper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
