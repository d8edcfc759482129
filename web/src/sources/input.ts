import type { Source } from "../data/sources.ts";
import { textsIn } from "../ui/field.tsx";
import { KINDS } from "./kinds.ts";
import type { SourceInput, SourceKind } from "./queries.ts";
import { settingsIn } from "./settings.tsx";

/** What the form says of a new source. */
export function inputIn(form: FormData, kind: SourceKind): Partial<SourceInput> {
  const credential = credentialIn(form, kind);
  return {
    ...commonIn(form, kind),
    settings: settingsIn(form, kind),
    ...(credential && { credential }),
  };
}

function commonIn(form: FormData, kind: SourceKind) {
  const texts = textsIn(form, "name", "group_id", "check_frequency", "schedule", "time_zone");
  return {
    name: texts.name.trim(),
    group_id: texts.group_id || null,
    check_frequency: texts.check_frequency as Source["check_frequency"],
    ...(kind !== "push" && {
      schedule: texts.schedule.trim() || null,
      time_zone: texts.time_zone.trim() || "UTC",
    }),
  };
}

/** Undefined if none was entered. */
function credentialIn(form: FormData, kind: SourceKind): SourceInput["credential"] {
  const texts = textsIn(form, "credential.user", "credential.value");
  const value = texts["credential.value"].trim();
  const user = texts["credential.user"].trim();
  if (!value) return null;
  return { type: KINDS[kind].credential ?? "bearer", value, ...(user && { user }) };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The entries that differ from the present ones. */
const differing = (wanted: object, present: object) =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => !isSame(value, (present as Record<string, unknown>)[name]),
    ),
  );

/** What was changed in the form, so that changes by others stay. */
export function changesIn(source: Source, form: FormData): Partial<SourceInput> {
  const settings = differing(settingsIn(form, source.kind), source.settings);
  const credential = form.has("no_credential") ? null : credentialIn(form, source.kind);
  const isCredentialChanged = credential !== null || form.has("no_credential");
  return {
    ...differing(commonIn(form, source.kind), source),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(isCredentialChanged && { credential }),
  };
}
