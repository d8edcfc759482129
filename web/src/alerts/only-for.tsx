import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { REASONS } from "../../../server/judge/reasons/reasons.ts";
import type { Alert } from "../data/alerts.ts";
import { api, unwrap } from "../data/api.ts";
import { counted, many } from "../data/format.ts";
import { useGroups } from "../data/groups.ts";
import { useServicesByName } from "../data/links.ts";
import { usePeople, useTags } from "../data/triage.ts";
import { Menu } from "../ui/menu.tsx";

/** What an alert is narrowed to; null is any. */
export type Only = NonNullable<Alert["filter"]>;

export const ANY: Only = {
  group_ids: null,
  services: null,
  reasons: null,
  tags: null,
  assignee: null,
  kinds: null,
};

const FAMILIES = [...new Set(REASONS.map((reason) => `${reason.split("_", 1)[0]}_*`))];
/** A reason that is alone in its family is named itself. */
const OFFERED = FAMILIES.flatMap((family) => {
  const inIt = REASONS.filter((reason) => reason.startsWith(family.slice(0, -1)));
  return inIt.length === 1 ? inIt : [family];
}).sort();

/** Narrows an alert to groups, services, reasons, tags and a person, and says how many links that is now. */
export function OnlyFor({ value, onChange }: { value: Only; onChange: (value: Only) => void }) {
  const groups = useGroups().data ?? [];
  const services = useServicesByName();
  const known = groups.map(({ id, name }) => ({ value: id, label: name }));
  const gone = (value.group_ids ?? [])
    .filter((id) => id !== "none" && !groups.some((group) => group.id === id))
    .map((id) => ({ value: id, label: "A group that is gone" }));
  const tags = new Set([...useTags().map(({ name }) => name), ...(value.tags ?? [])]);
  const people = usePeople().map(({ id, email }) => ({ value: id, label: email }));
  const isGone = ![null, "none", ...people.map((person) => person.value)].includes(value.assignee);
  const pick = (key: Exclude<keyof Only, "assignee">) => (values: string[]) =>
    onChange({ ...value, [key]: values.length > 0 ? values : null });
  return (
    <fieldset class="only-for">
      <legend>Only for</legend>
      <div class="only-for-menus">
        <Several
          {...{ any: "All groups", one: "group", values: value.group_ids }}
          choices={[...known, { value: "none", label: "No group" }, ...gone]}
          onPick={pick("group_ids")}
        />
        <Several
          {...{ any: "All services", one: "service", values: value.services }}
          choices={services.map(({ id, name }) => ({ value: id, label: name }))}
          onPick={pick("services")}
        />
        <Several
          {...{ any: "All reasons", one: "reason", values: value.reasons }}
          choices={OFFERED.map((code) => ({ value: code, label: reasonText(code) }))}
          onPick={pick("reasons")}
        />
        {tags.size > 0 && (
          <Several
            {...{ any: "All tags", one: "tag", values: value.tags }}
            choices={[...tags].map((tag) => ({ value: tag, label: tag }))}
            onPick={pick("tags")}
          />
        )}
        {(people.length > 1 || value.assignee !== null) && (
          <Several
            {...{ any: "Any assignee", one: "person" }}
            values={value.assignee === null ? null : [value.assignee]}
            choices={[
              ...people,
              { value: "none", label: "Not assigned" },
              ...(isGone ? [{ value: value.assignee!, label: "A person who is gone" }] : []),
            ]}
            onPick={(ids) => onChange({ ...value, assignee: ids.at(-1) ?? null })}
          />
        )}
      </div>
      <Matches value={value} />
    </fieldset>
  );
}

/** "http_*" as "HTTP …". */
const reasonText = (code: string) => code.replace(/_\*$/, " …").replaceAll("_", " ");

type SeveralProps = {
  any: string;
  one: string;
  values: string[] | null;
  choices: { value: string; label: string }[];
  onPick: (values: string[]) => void;
};

function Several({ any, one, values, choices, onPick }: SeveralProps) {
  const chosen = values ?? [];
  const [only] = chosen;
  const label = choices.find(({ value }) => value === only)?.label ?? only;
  const button =
    chosen.length === 0 ? any : chosen.length === 1 ? label : counted(chosen.length, one);
  return (
    <Menu
      label={any}
      button={button}
      multiple
      items={choices.map((choice) => {
        const isOn = chosen.includes(choice.value);
        return {
          label: choice.label,
          checked: isOn,
          onSelect: () =>
            onPick(
              isOn ? chosen.filter((each) => each !== choice.value) : [...chosen, choice.value],
            ),
        };
      })}
    />
  );
}

function Matches({ value }: { value: Only }) {
  const isAny = Object.values(value).every((each) => each === null);
  const matches = useQuery({
    queryKey: ["matches", value],
    queryFn: () => unwrap(api.webhooks.matches.post({ filter: value })),
    enabled: !isAny,
    placeholderData: keepPreviousData,
  });
  if (isAny || !matches.data) return null;
  const { links, total } = matches.data;
  return (
    <p class="hint" role="status">
      Matches {many(links)} of your {counted(total, "link")} now.
    </p>
  );
}
