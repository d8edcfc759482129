import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { ArrowDownUp, Folder, Pencil, RefreshCw, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import type { GroupSort } from "../../../server/ground/lib/vocabulary.ts";
import { api, asSent, complete, unwrap } from "../data/api.ts";
import { counted, many } from "../data/format.ts";
import { useSettled } from "../data/found.ts";
import {
  type Counted,
  createGroup,
  GROUP_COLORS,
  GROUPS,
  type Group,
  type GroupInput,
  listGroups,
} from "../data/groups.ts";
import { usePages } from "../data/query-client.ts";
import { useCanWrite } from "../data/session.ts";
import type { Closable } from "../frame/ask.tsx";
import { useHold, useSave, useToast } from "../frame/toast.tsx";
import { useMuteAll } from "../triage/mute-all.tsx";
import { IconButton } from "../ui/button.tsx";
import { Field, TextField, textsIn } from "../ui/field.tsx";
import { Empty } from "../ui/loaded.tsx";
import { choices, Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { State } from "../ui/state.tsx";
import { ColorField, DraftArea, DraftText } from "./draft.tsx";
import { GrowingHeading, InPlace, List, NewEntry, useFieldSave } from "./parts.tsx";
import type { Section } from "./settings.tsx";

const LINKS = ["links"];

export const section: Section = { part: "Account", place: 2, name: "Groups", icon: Folder };

/** Groups with what their links are. New ones and changes happen in place. */
export default function GroupsSection() {
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState<GroupSort>("-created_at");
  const wanted = { sort, search: useSettled(search.trim()) };
  const groups = usePages({
    queryKey: [...GROUPS, "pages", wanted],
    read: (page) => listGroups(page, wanted),
  });
  const isSearched = wanted.search !== "";
  const ungrouped = useQuery({
    queryKey: [...GROUPS, "none"],
    queryFn: () => unwrap(api.groups.none.get()),
  });
  return (
    <>
      <GrowingHeading title="Groups" action="New group" New={NewGroup}>
        Links that belong together, such as a handbook, a client or a site.
      </GrowingHeading>
      {(isSearched || (groups.data?.total ?? 0) > 1) && (
        <div class="tools flat">
          <SearchField label="Search groups" value={search} isMain onSearch={setSearch} />
          <Menu
            label="Sort"
            icon={ArrowDownUp}
            button={SORTS[sort]}
            items={choices(SORTS, sort, setSort)}
          />
        </div>
      )}
      <List
        label="Groups"
        query={groups}
        items={groups.data?.items}
        none={<Empty title={isSearched ? "No matching groups" : "No groups yet"} />}
        last={
          !(groups.hasNextPage || isSearched) && ungrouped.data && <NoGroup of={ungrouped.data} />
        }
      >
        {(group) => <GroupLine key={group.id} group={group} />}
      </List>
    </>
  );
}

const SORTS: Record<GroupSort, string> = {
  "-created_at": "Newest first",
  name: "By name",
  "-dead": "Most dead first",
  "-links": "Most links first",
};

/** The links in no group, after the last page. */
const NoGroup = ({ of }: { of: Counted }) => (
  <li>
    <i class="gsq" />
    <div class="what">
      <a href={hrefOfLinks("none")}>No group</a>
    </div>
    <Counts of={of} where="in no group" id="none" />
  </li>
);

function GroupLine({ group }: { group: Group }) {
  const canWrite = useCanWrite();
  const [isEditing, setEditing] = useState(false);
  const { id, name, description, color } = group;
  return (
    <li>
      <i class="gsq" style={{ background: color }} />
      <div class="what">
        <a href={hrefOfLinks(id)}>{name}</a>
        {description && <p class="hint">{description}</p>}
        {group.muted_until && (
          <p class="hint">
            <State status="muted" word /> until <Moment at={group.muted_until} day /> by{" "}
            {group.muted_by}
          </p>
        )}
      </div>
      <Counts of={group} where={`in ${name}`} id={id} />
      {canWrite && (
        <>
          <IconButton
            icon={Pencil}
            label={`Edit ${name}`}
            aria-expanded={isEditing}
            onClick={() => setEditing(!isEditing)}
          />
          <GroupMenu group={group} />
        </>
      )}
      {isEditing && <EditGroup group={group} onClose={() => setEditing(false)} />}
    </li>
  );
}

function GroupMenu({ group }: { group: Group }) {
  const hold = useHold();
  const client = useQueryClient();
  const { id, name, link_count: links } = group;
  const check = useSave({
    change: () => unwrap(api.links.check.post({ group_id: id })),
    said: ({ summary }) =>
      summary.started === 0
        ? `There is nothing to check in ${name}.`
        : `${counted(summary.started, "check")} started in ${name}.`,
    renews: [LINKS],
  });
  const remove = async () => {
    // Is carried out even if the page is left meanwhile.
    await complete(api.groups({ id }).delete(undefined, { fetch: { keepalive: true } }));
    for (const queryKey of [GROUPS, LINKS]) client.invalidateQueries({ queryKey });
  };
  const kept = links === 0 ? "" : ` Its ${counted(links, "link")} will be in no group.`;
  const mute = useMuteAll((of: Group, until) =>
    unwrap(api.groups({ id: of.id }).patch(asSent({ muted_until: until }))),
  );
  return (
    <>
      <Menu
        label={`More for ${name}`}
        items={[
          links > 0 && { label: "Check all links now", icon: RefreshCw, onSelect: check.mutate },
          ...mute.items(group),
          {
            label: "Delete",
            icon: Trash2,
            danger: true,
            onSelect: () => hold([id], `${name} was deleted.${kept}`, remove),
          },
        ]}
      />
      {mute.dialog}
    </>
  );
}

/** Each field is saved on its own, so that two people can change one group. */
function EditGroup({ group, onClose }: Closable & { group: Group }) {
  const { id, name, color } = group;
  const description = group.description ?? "";
  const save = useFieldSave<GroupInput>({
    current: { name, description, color, check_schedule: group.check_schedule },
    send: (change) => unwrap(api.groups({ id }).patch(change)),
    said: "The group was changed.",
    renews: [GROUPS, LINKS],
  });
  return (
    <InPlace onClose={onClose}>
      <div class="setting-fields">
        <DraftText
          label="Name"
          name="name"
          maxLength={100}
          value={name}
          save={(text) => save({ name: text })}
        />
        <DraftArea
          label="Description"
          name="description"
          maxLength={500}
          value={description}
          save={(text) => save({ description: withoutTabs(text) })}
        />
      </div>
      <div class="setting-fields">
        <DraftText
          label="Schedule"
          name="check_schedule.cron"
          hint="Cron with five fields such as 0 6 * * 1-5, instead of the links' frequencies. Empty for none."
          maxLength={100}
          value={group.check_schedule?.cron ?? ""}
          save={(text) =>
            save({
              check_schedule:
                text.trim() === ""
                  ? null
                  : {
                      cron: text.trim(),
                      time_zone:
                        group.check_schedule?.time_zone ??
                        Intl.DateTimeFormat().resolvedOptions().timeZone,
                    },
            })
          }
        />
      </div>
      <ColorField value={color} onPick={(next) => save({ color: next }).catch(() => {})} />
    </InPlace>
  );
}

function NewGroup({ onClose }: Closable) {
  const toast = useToast();
  const client = useQueryClient();
  const [color, setColor] = useState<string>(GROUP_COLORS[5]!.color);
  const creation = useMutation({
    mutationFn: createGroup,
    onSuccess: ({ name }) => {
      toast(`${name} was created.`);
      onClose();
      client.invalidateQueries({ queryKey: GROUPS });
    },
  });
  const submit = (form: FormData) => {
    const { name, description } = textsIn(form, "name", "description");
    creation.mutate({ name, description: withoutTabs(description), color });
  };
  return (
    <NewEntry action="Create group" creation={creation} onSubmit={submit} onClose={onClose}>
      <div class="setting-fields">
        <TextField label="Name" name="name" required maxLength={100} autoComplete="off" />
        <Field label="Description" name="description">
          {(ties) => <textarea {...ties} rows={2} maxLength={500} />}
        </Field>
      </div>
      <ColorField value={color} onPick={setColor} />
    </NewEntry>
  );
}

/** The API rejects tabs, which pasted text may contain. */
const withoutTabs = (text: string) => text.replaceAll("\t", " ");

const hrefOfLinks = (group: string, status?: string) =>
  `/links?${new URLSearchParams({ ...(status && { status }), group_id: group })}`;

const STATES = [
  { status: "dead", word: "dead" },
  { status: "unknown", word: "unknown" },
  { status: "active", word: "alive" },
] as const;

/** @param where context for screen readers: "in Docs" */
type CountsProps = { of: Counted; where: string; id: string };

/** How many links there are in each state, as links to them. */
const Counts = ({ of: { link_count: all, counts }, where, id }: CountsProps) => (
  <div class="counts">
    {STATES.filter(({ status }) => counts[status] > 0).map(({ status, word }) => (
      <a key={status} class={`is-${status}`} href={hrefOfLinks(id, status)}>
        <State status={status} hidden />
        {many(counts[status])}
        <span class="unseen">
          {" "}
          {word} {where}
        </span>
      </a>
    ))}
    <a class="counts-all" href={hrefOfLinks(id)}>
      {counted(all, "link")}
      <span class="unseen"> {where}</span>
    </a>
  </div>
);
