import { useState } from "preact/hooks";
import { CheckField, Field, SelectField, TextField } from "../ui/field.tsx";
import type { SourceKind } from "./queries.ts";

type Value = string | number | boolean | string[] | null;

/** How a setting is entered, and what it is if nothing was. */
type Setting = { name: string; label: string; hint?: string } & (
  | { as: "text"; placeholder?: string }
  | { as: "number"; first: number; least: number }
  | { as: "lines" }
  | { as: "words"; first: string[] }
  | { as: "check"; first: boolean }
  | { as: "choice"; options: { value: string; label: string }[] }
);

const EXCLUDE: Setting = {
  ...{ name: "exclude", as: "lines", label: "Leave out" },
  hint: "Paths, one per line, such as /archive/ or /*.pdf$.",
};
const INCLUDE: Setting = {
  ...{ name: "include", as: "lines", label: "Include only" },
  hint: "Paths, one per line. Empty for all.",
};
const ELEMENTS: Setting = {
  ...{ name: "elements", as: "words", label: "Elements" },
  first: ["links", "images", "media", "frames"],
  hint: "Any of links, images, media, frames, scripts, styles and metadata, with commas.",
};
const CHOSEN: Setting[] = [
  { name: "query", as: "text", label: "Only those found by" },
  { name: "tag", as: "text", label: "Only those with the tag" },
];
const BOOKMARKS: Setting[] = [
  ...CHOSEN,
  { name: "archived", as: "check", first: false, label: "Archived bookmarks too" },
];

/** In pairs, where two go side by side. */
const SETTINGS: Partial<Record<SourceKind, (Setting | [Setting, Setting])[]>> = {
  site: [
    [
      {
        ...{ name: "scope", as: "choice", label: "Pages" },
        options: [
          { value: "path", label: "This folder and below" },
          { value: "host", label: "The whole host" },
          { value: "domain", label: "The whole domain" },
        ],
      },
      { name: "max_pages", as: "number", first: 10_000, least: 1, label: "Most pages" },
    ],
    [
      {
        ...{
          name: "depth",
          as: "number",
          first: 20,
          least: 0,
          label: "Clicks from the first page",
        },
        hint: "0 reads the first page and those of sitemaps.",
      },
      {
        ...{ name: "sitemaps", as: "choice", label: "Sitemaps" },
        options: [
          { value: "true", label: "Read them too" },
          { value: "only", label: "Only their pages" },
          { value: "false", label: "Ignore them" },
        ],
      },
    ],
    [INCLUDE, EXCLUDE],
    {
      ...{ name: "watch", as: "choice", label: "Watch" },
      hint: "Internal pages that do not answer are always watched.",
      options: [
        { value: "external", label: "External links" },
        { value: "all", label: "All links" },
        { value: "internal", label: "Internal links" },
      ],
    },
    ELEMENTS,
    { name: "watch_nofollow", as: "check", first: true, label: "Links marked nofollow too" },
    { name: "fragments", as: "check", first: true, label: "Look for missing anchors" },
  ],
  sitemap: [[INCLUDE, EXCLUDE]],
  feed: [
    { name: "content", as: "check", first: true, label: "Links inside items too" },
    { name: "follow", as: "check", first: false, label: "Read the feeds of an OPML list" },
    {
      ...{ name: "keep_days", as: "number", first: 0, least: 0, label: "Days to keep links" },
      hint: "After they were last in the feed. 0 keeps them for good.",
    },
  ],
  list: [
    {
      ...{ name: "format", as: "choice", label: "Format" },
      options: [
        { value: "", label: "As the file says" },
        { value: "text", label: "Text" },
        { value: "csv", label: "CSV" },
        { value: "json", label: "JSON" },
        { value: "bookmarks", label: "Bookmarks of a browser" },
        { value: "html", label: "HTML" },
        { value: "markdown", label: "Markdown" },
        { value: "opml", label: "OPML" },
        { value: "sitemap", label: "Sitemap" },
        { value: "uptime-kuma", label: "Uptime Kuma" },
        { value: "uptimerobot", label: "UptimeRobot" },
      ],
    },
  ],
  git: [
    [
      { name: "ref", as: "text", label: "Branch or tag", placeholder: "The default branch" },
      {
        ...{ name: "base_url", as: "text", label: "Published at" },
        placeholder: "https://docs.example.org/",
      },
    ],
    [INCLUDE, EXCLUDE],
  ],
  linkding: BOOKMARKS,
  karakeep: BOOKMARKS,
  linkace: CHOSEN,
  wordpress: [
    {
      ...{ name: "types", as: "words", first: ["posts", "pages"], label: "Types" },
      hint: "As its API calls them, with commas.",
    },
    ELEMENTS,
  ],
};

const ofKind = (kind: SourceKind): Setting[] => (SETTINGS[kind] ?? []).flat();
const fieldOf = ({ name }: Setting) => `settings.${name}`;

/** What the form says of the settings of a kind; null for the usual value. */
export const settingsIn = (form: FormData, kind: SourceKind): Record<string, Value> =>
  Object.fromEntries(
    ofKind(kind).map((setting) => [setting.name, valueIn(form, setting, fieldOf(setting))]),
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
    {(SETTINGS[kind] ?? []).map((each) =>
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
