import { Eye, EyeOff } from "lucide-preact";
import { type ComponentChildren, createContext, type InputHTMLAttributes } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { RequestFailed } from "../data/api.ts";
import { startUpper } from "../data/format.ts";
import { IconButton } from "./button.tsx";

type Labelled = {
  label: string;
  hint?: ComponentChildren;
  /** The field of the API, whose problems are shown. */
  name?: string | undefined;
  /** Why it was rejected, outside of a form. */
  error?: Error | null | undefined;
};

type Ties = { id: string; name?: string; "aria-describedby": string; "aria-invalid": boolean };

/** A label, its control, and what is to be said about it. */
export function Field(props: Labelled & { children: (ties: Ties) => ComponentChildren }) {
  const { label, hint, name, error, children } = props;
  const id = useId();
  const problems = useProblems(name, error);
  const isBad = problems.length > 0;
  const ties = { id, "aria-describedby": `${id}-about`, "aria-invalid": isBad };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(name ? { ...ties, name } : ties)}
      <div id={`${id}-about`} class="about" aria-live="polite">
        {isBad ? (
          <p class="field-problem">{startUpper(problems.join(", "))}</p>
        ) : (
          hint && <p class="hint">{hint}</p>
        )}
      </div>
    </div>
  );
}

type TextFieldProps = Labelled &
  Pick<
    InputHTMLAttributes<HTMLInputElement>,
    | "autoComplete"
    | "autoFocus"
    | "class"
    | "defaultValue"
    | "inputMode"
    | "max"
    | "maxLength"
    | "min"
    | "onBlur"
    | "onChange"
    | "onInput"
    | "onKeyDown"
    | "placeholder"
    | "readOnly"
    | "required"
    | "spellcheck"
    | "value"
  > & { "data-first"?: boolean };

type TextKind = "text" | "email" | "url" | "search" | "number" | "date" | "time" | "password";

export const TextField = (props: TextFieldProps & { type?: TextKind }) => {
  const { label, hint, name, error, type = "text", ...input } = props;
  return (
    <Field label={label} hint={hint} name={name} error={error}>
      {(ties) => <input {...input} {...ties} {...({ type } as { type: "text" })} />}
    </Field>
  );
};

/** A password with a button that shows it. */
export function PasswordField({ label, hint, name = "password", ...input }: TextFieldProps) {
  const [isShown, setShown] = useState(false);
  const kind = isShown ? ({ type: "text" } as const) : ({ type: "password" } as const);
  return (
    <Field label={label} hint={hint} name={name}>
      {(ties) => (
        <span class="with-button">
          <input {...input} {...ties} {...kind} />
          <IconButton
            label={isShown ? "Hide password" : "Show password"}
            icon={isShown ? EyeOff : Eye}
            onClick={() => setShown(!isShown)}
          />
        </span>
      )}
    </Field>
  );
}

type SelectFieldProps<Value extends string | number> = Labelled & {
  options: readonly { value: Value; label: string }[];
  value?: Value;
  onChange?: (value: Value) => void;
};

export const SelectField = <Value extends string | number>(props: SelectFieldProps<Value>) => {
  const { options, value, onChange, ...labelled } = props;
  return (
    <Field {...labelled}>
      {(ties) => (
        <select
          {...ties}
          onChange={({ currentTarget }) => onChange?.(options[currentTarget.selectedIndex]!.value)}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
};

type CheckFieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  "checked" | "defaultChecked" | "disabled" | "name" | "onChange" | "value"
> & {
  label: ComponentChildren;
  hint?: ComponentChildren;
};

export const CheckField = ({ label, hint, ...input }: CheckFieldProps) => (
  <label class="check-field">
    <input type="checkbox" {...input} />
    <span>
      {label}
      {hint && <small class="hint">{hint}</small>}
    </span>
  </label>
);

/** Fields that are seldom needed. It opens when one of them is wrong. */
export function Folded({ title, children }: { title: string; children: ComponentChildren }) {
  const { error } = useContext(FormContext);
  const fold = useRef<HTMLDetailsElement>(null);
  const open = () => {
    if (fold.current) fold.current.open = true;
  };
  useEffect(() => {
    if (fold.current?.querySelector(".field-problem")) open();
  }, [error]);
  return (
    <details ref={fold} class="folded" onInvalidCapture={open}>
      <summary>{title}</summary>
      <div class="form">{children}</div>
    </details>
  );
}

type FormProps = {
  onSubmit: (form: FormData) => void;
  error?: Error | null;
  class?: string;
  /** For a button outside of the form. */
  id?: string;
  children: ComponentChildren;
};

/** Why the form was rejected, and the fields that show their own problems. */
type Rejection = { error: Error | null; fields: Set<string> };

const FormContext = createContext<Rejection>({ error: null, fields: new Set() });

/** A form that says why it was rejected, unless its fields already do. */
export function Form({ onSubmit, error = null, children, ...rest }: FormProps) {
  const [fields] = useState(() => new Set<string>());
  return (
    <form
      id={rest.id}
      class={rest.class ?? "form"}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      <FormContext.Provider value={{ error, fields }}>
        {children}
        <Unshown />
      </FormContext.Provider>
    </form>
  );
}

/** The named texts of a form. Older browsers end the lines of a textarea with CR LF. */
export function textsIn<Name extends string>(form: FormData, ...names: Name[]) {
  const texts = names.map((name) => [name, String(form.get(name) ?? "").replaceAll("\r\n", "\n")]);
  return Object.fromEntries(texts) as Record<Name, string>;
}

/** Comes after the fields, which are known by then. */
const Unshown = () => <Problem {...useContext(FormContext)} />;

/** The server's problems with the named field of the form, or of an error outside of one. */
export function useProblems(name: string | undefined, own?: Error | null): string[] {
  const { error, fields } = useContext(FormContext);
  if (!name) return [];
  fields.add(name);
  return problemsIn(own === undefined ? error : own)[name] ?? [];
}

/** What is wrong with a choice that has no label of its own, in its fieldset. */
export function FieldProblem({ name, error }: { name: string; error?: Error | null }) {
  const problems = useProblems(name, error);
  if (problems.length === 0) return null;
  return <p class="field-problem">{startUpper(problems.join(", "))}</p>;
}

/** Why a change was rejected, unless fields show it. */
export function Problem({
  error,
  fields = new Set(),
}: {
  error: Error | null;
  fields?: Set<string>;
}) {
  const problems = Object.entries(problemsIn(error));
  const unshown = problems.filter(([name]) => !fields.has(name));
  const isShown = problems.length > 0 && unshown.length === 0;
  const details = unshown.map(([name, why]) => `${name}: ${why.join(", ")}.`);
  return (
    <div role="alert">
      {error && !isShown && <p class="problem">{[error.message, ...details].join(" ")}</p>}
    </div>
  );
}

/** By field: one field has all entries of a list. */
function problemsIn(error: Error | null): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  if (!(error instanceof RequestFailed)) return fields;
  for (const [name, why] of Object.entries(error.fields)) {
    const field = name.replace(/\[\d+\]$/, "");
    fields[field] = [...new Set([...(fields[field] ?? []), ...why])];
  }
  return fields;
}
