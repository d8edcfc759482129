import { useState } from "preact/hooks";
import { CheckField, Field, SelectField, TextField } from "../ui/field.tsx";
import { KINDS, type Setting } from "./kinds.ts";
import type { SourceKind } from "./queries.ts";

type Value = string | number | boolean | string[] | null;

const fieldOf = ({ name }: Setting) => `settings.${name}`;

/** What the form says of the settings of a kind; null for the usual value. */
export const settingsIn = (form: FormData, kind: SourceKind): Record<string, Value> =>
  Object.fromEntries(
    (KINDS[kind].settings ?? [])
      .flat()
      .map((setting) => [setting.name, valueIn(form, setting, fieldOf(setting))]),
  );

function valueIn(form: FormData, setting: Setting, field: string): Value {
  const text = String(form.get(field) ?? "").trim();
  const parts = (by: string | RegExp) => text.split(by).flatMap((part) => part.trim() || []);
  switch (setting.as) {
    case "check":
      return form.has(field);
    case "number":
      return text === "" ? null : Number(text);
    case "lines":
      return parts("\n");
    case "words":
      return text === "" ? null : parts(/[\s,]+/);
    case "choice":
      return text === "true" || text === "false" ? text === "true" : text || null;
    default:
      return text || null;
  }
}

type Props = { kind: SourceKind; settings: Record<string, unknown> };

/** What is read of a source, and which of its links are checked. */
export const SettingFields = ({ kind, settings }: Props) => (
  <>
    {(KINDS[kind].settings ?? []).map((each) =>
      Array.isArray(each) ? (
        <div key={each[0].name} class="src-pair">
          {each.map((setting) => (
            <SettingField key={setting.name} setting={setting} now={settings[setting.name]} />
          ))}
        </div>
      ) : (
        <SettingField key={each.name} setting={each} now={settings[each.name]} />
      ),
    )}
  </>
);

function SettingField({ setting, now }: { setting: Setting; now: unknown }) {
  const { label, hint } = setting;
  const [choice, setChoice] = useState(
    String(now ?? ("options" in setting ? setting.options[0]!.value : "")),
  );
  const labelled = { label, name: fieldOf(setting), ...(hint && { hint }) };
  switch (setting.as) {
    case "check":
      return (
        <CheckField {...labelled} defaultChecked={(now as boolean | undefined) ?? setting.first} />
      );
    case "lines":
      return (
        <Field {...labelled}>
          {(ties) => (
            <textarea
              {...ties}
              rows={2}
              defaultValue={((now as string[] | undefined) ?? []).join("\n")}
            />
          )}
        </Field>
      );
    case "choice":
      return (
        <SelectField {...labelled} value={choice} options={setting.options} onChange={setChoice} />
      );
    case "number":
      return (
        <TextField
          {...labelled}
          type="number"
          min={setting.least}
          defaultValue={String(now ?? "")}
          placeholder={String(setting.first)}
        />
      );
    case "words":
      return (
        <TextField
          {...labelled}
          defaultValue={((now as string[] | undefined) ?? setting.first).join(", ")}
        />
      );
    case "text":
      return (
        <TextField
          {...labelled}
          autoComplete="off"
          defaultValue={String(now ?? "")}
          placeholder={setting.placeholder}
        />
      );
  }
}
