import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { REASONS } from "../../../server/judge/reasons/reasons.ts";
import { api, unwrap } from "../data/api.ts";
import { counted, many } from "../data/format.ts";
import { useFoundGroups } from "../data/groups.ts";
import { useServicesInUse } from "../data/links.ts";
import { useFoundTags, usePeople } from "../data/triage.ts";
import { Pick, type PickOption } from "../ui/menu.tsx";
import { type Only, reasonText, useNames } from "./narrowing.ts";

const FAMILIES = [...new Set(REASONS.map((reason) => `${reason.split("_", 1)[0]}_*`))];
/** A reason that is alone in its family is named itself. */
const OFFERED = FAMILIES.flatMap((family) => {
  const inIt = REASONS.filter((reason) => reason.startsWith(family.slice(0, -1)));
  return inIt.length === 1 ? inIt : [family];
}).sort();

const NONE = { value: "none", label: "No group" };

/** Narrows an alert to groups, services, reasons, tags and a person, and says how many links that is now. */
export function OnlyFor({ value, onChange }: { value: Only; onChange: (value: Only) => void }) {
  const names = useNames(value);
  const groups = useFoundGroups();
  const tags = useFoundTags();
  const services = useServicesInUse();
  const people = usePeople();
  const pick = (key: Exclude<keyof Only, "assignee">) => (values: string[]) =>
    onChange({ ...value, [key]: values.length > 0 ? values : null });
  return (
    <fieldset class="only-for">
      <legend>Only for</legend>
      <div class="only-for-menus">
        <Several
          any="All groups"
          one="group"
          values={value.group_ids}
          nameOf={names.group}
          choices={[...groups.found.map(({ id, name }) => ({ value: id, label: name })), NONE]}
          onSearch={groups.onSearch}
          onPick={pick("group_ids")}
        />
        <Several
          any="All services"
          one="service"
          values={value.services}
          nameOf={names.service}
          choices={services.map(({ id, name, links }) => ({
            value: id,
            label: name,
            ...(links > 0 && { hint: counted(links, "link") }),
          }))}
          onPick={pick("services")}
        />
        <Several
          any="All reasons"
          one="reason"
          values={value.reasons}
          nameOf={reasonText}
          choices={OFFERED.map((code) => ({ value: code, label: reasonText(code) }))}
          onPick={pick("reasons")}
        />
        <Several
          any="All tags"
          one="tag"
          values={value.tags}
          nameOf={(tag) => tag}
          choices={tags.found.map(({ name }) => ({ value: name, label: name }))}
          onSearch={tags.onSearch}
          onPick={pick("tags")}
        />
        {(people.length > 1 || value.assignee !== null) && (
          <Several
            any="Any assignee"
            one="person"
            values={value.assignee === null ? null : [value.assignee]}
            nameOf={names.person}
            choices={[
              ...people.map(({ id, email }) => ({ value: id, label: email })),
              { value: "none", label: "Not assigned" },
            ]}
            onPick={(ids) => onChange({ ...value, assignee: ids.at(-1) ?? null })}
          />
        )}
      </div>
      <Matches value={value} />
    </fieldset>
  );
}

type SeveralProps = {
  any: string;
  one: string;
  values: string[] | null;
  nameOf: (value: string) => string;
  choices: PickOption<string>[];
  onSearch?: (text: string) => void;
  onPick: (values: string[]) => void;
};

/** A searchable choice of several. Those chosen before it was opened come first, so that none is out of sight. */
function Several({ any, one, values, nameOf, choices, onPick, ...search }: SeveralProps) {
  const chosen = values ?? [];
  const [first] = useState(chosen);
  const [text, setText] = useState("");
  const onSearch = search.onSearch && {
    onSearch: (typed: string) => {
      setText(typed);
      search.onSearch?.(typed);
    },
  };
  const isFirst = ({ value }: PickOption<string>) => first.includes(value);
  const leading = first.map(
    (value) => choices.find((each) => each.value === value) ?? { value, label: nameOf(value) },
  );
  const typed = text.trim().toLowerCase();
  const shown = leading.filter(({ label }) => label.toLowerCase().includes(typed));
  const [only] = chosen;
  return (
    <Pick
      label={any}
      button={
        only === undefined ? any : chosen.length === 1 ? nameOf(only) : counted(chosen.length, one)
      }
      value={null}
      chosen={chosen}
      options={[...shown, ...choices.filter((each) => !isFirst(each))]}
      onPick={(value) =>
        onPick(
          chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value],
        )
      }
      {...onSearch}
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
