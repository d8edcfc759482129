import {
  Bell,
  Building2,
  Folder,
  Globe,
  KeyRound,
  LayoutList,
  Link2,
  type LucideIcon,
  Route,
  Rss,
  ScrollText,
  Server,
  Tag,
  UserRound,
  X,
} from "lucide-preact";
import { useLocation } from "preact-iso";
import { useUser } from "../data/session.ts";
import { fieldWords } from "../data/words.ts";
import { Button, Seg } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Empty, Loaded } from "../ui/loaded.tsx";
import { FilterPick } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heading } from "../ui/section.tsx";
import { ACTIONS, isOwn, wordsOf } from "./activity-words.ts";
import { ShowMore } from "./parts.tsx";
import {
  type ActivityFilter,
  type Entry,
  hrefOfActivity,
  isNarrowed,
  readActivityFilter,
  useActivity,
} from "./queries.ts";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Account", place: 7, name: "Activity", icon: ScrollText };

/** Who changed what, newest first. */
export default function ActivitySection() {
  const { query, route } = useLocation();
  const { is_admin: canSeeAll } = useUser();
  const given = readActivityFilter(query);
  const filter = { ...given, all: given.all && canSeeAll };
  const entries = useActivity(filter);
  const [first] = entries.data?.items ?? [];
  const actorName = first && first.actor.id === filter.actor ? first.actor.name : null;
  return (
    <>
      <Heading title="Activity">
        Changes made here or through the API appear here, and are kept for a year.
      </Heading>
      <Filters
        filter={filter}
        canSeeAll={canSeeAll}
        actorName={actorName}
        onChange={(change) => route(hrefOfActivity({ ...filter, ...change }), true)}
      />
      <Loaded query={entries}>
        {({ items }) =>
          items.length > 0 ? (
            <EntryList entries={items} filter={filter} />
          ) : (
            <Nothing filter={filter} />
          )
        }
      </Loaded>
      <ShowMore query={entries} />
    </>
  );
}

const Nothing = ({ filter }: { filter: ActivityFilter }) =>
  isNarrowed(filter) ? (
    <Empty title="No matching entries">
      <Button href={hrefOfActivity({ ...readActivityFilter({}), all: filter.all })}>
        Show all activity
      </Button>
    </Empty>
  ) : (
    <Empty title="No changes yet" />
  );

type FiltersProps = {
  filter: ActivityFilter;
  /** Whether the user may choose between the own account and all of them. */
  canSeeAll: boolean;
  /** Name of the actor in the filter; null while it is unknown. */
  actorName: string | null;
  onChange: (change: Partial<ActivityFilter>) => void;
};

function Filters({ filter, canSeeAll, actorName, onChange }: FiltersProps) {
  const conditions = [
    ["actor", `By ${actorName ?? "one person or key"}`],
    ["target", "About one record"],
  ] as const;
  const given = conditions.filter(([name]) => filter[name]);
  return (
    <div class="log-tools">
      {canSeeAll && (
        <Seg
          label="Whose activity"
          value={filter.all ? "all" : "own"}
          options={PLACES}
          onChange={(place) => onChange({ all: place === "all" })}
        />
      )}
      <FilterPick
        label="What"
        any="Everything"
        value={filter.action}
        options={ACTIONS}
        onPick={(action) => onChange({ action: action ?? "" })}
      />
      {given.map(([name, text]) => (
        <Button key={name} icon={X} onClick={() => onChange({ [name]: "" })}>
          <span class="unseen">Remove: </span>
          {text}
        </Button>
      ))}
      <fieldset>
        <legend class="unseen">Days in UTC</legend>
        {DAYS.map(({ name, label }) => (
          <TextField
            key={name}
            label={label}
            type="date"
            name={name}
            value={filter[name]}
            onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
          />
        ))}
      </fieldset>
    </div>
  );
}

const PLACES = [
  { value: "own", label: "This account" },
  { value: "all", label: "Whole installation" },
] as const;

const DAYS = [
  { name: "from", label: "From" },
  { name: "to", label: "To" },
] as const;

type Target = NonNullable<Entry["target"]>;

const ICONS: Record<Target["type"], LucideIcon> = {
  account: Building2,
  person: UserRound,
  key: KeyRound,
  link: Link2,
  group: Folder,
  tag: Tag,
  view: LayoutList,
  webhook: Bell,
  host_setting: Globe,
  pattern: Route,
  source: Rss,
  installation: Server,
};

/** Many actions have no target. */
const iconOf = ({ action, target }: Entry) =>
  ICONS[target?.type ?? (action.split(".")[0] as Target["type"])] ?? Server;

/** Each entry is a sentence. */
const EntryList = ({ entries, filter }: { entries: Entry[]; filter: ActivityFilter }) => (
  <ol class="panel lines" aria-label="Activity, newest first">
    {entries.map((entry) => (
      <EntryLine key={entry.id} entry={entry} filter={filter} />
    ))}
  </ol>
);

function EntryLine({ entry, filter }: { entry: Entry; filter: ActivityFilter }) {
  const { actor, target, fields } = entry;
  const Icon = iconOf(entry);
  return (
    <li>
      <Icon class="i" aria-hidden="true" />
      <div class="what">
        <p>
          <ActorName actor={actor} filter={filter} /> {wordsOf(entry)}{" "}
          {target?.name && !isOwn(entry) && <TargetName entry={entry} target={target} />}
        </p>
        {fields.length > 0 && <p class="hint">Changed: {fieldWords(fields)}</p>}
        {"account" in entry && entry.account && <AccountName account={entry.account} />}
      </div>
      <div class="when hint">
        <Moment at={entry.created_at} />
        {actor.address && <p>{actor.address}</p>}
      </div>
    </li>
  );
}

type ActorNameProps = { actor: Entry["actor"]; filter: ActivityFilter };

/** Links to everything this actor did. */
function ActorName({ actor: { kind, id, name }, filter }: ActorNameProps) {
  if (kind === "stranger") {
    return <b>{name === "sign-in" ? "Someone" : "Someone with the set-up token"}</b>;
  }
  if (kind === "administrator" && id === null) return <b>An administrator</b>;
  if (kind === "operator") return <b>Command line</b>;
  const text = kind === "key" ? `${name}…` : name;
  if (id === null) return <b>{text}</b>;
  return (
    <>
      {kind === "key" && "The API key "}
      <a
        class="actor"
        href={hrefOfActivity({ ...filter, actor: id })}
        title={`Everything that ${text} did`}
      >
        {text}
      </a>
    </>
  );
}

function TargetName({ entry, target }: { entry: Entry; target: Target }) {
  const isThere = "exists" in target && target.exists;
  const href = isThere ? PAGES[target.type]?.(target.id) : undefined;
  const name = entry.action.startsWith("key.") ? `${target.name}…` : target.name;
  return href ? <a href={href}>{name}</a> : <span>{name}</span>;
}

const PAGES: Partial<Record<Target["type"], (id: string) => string>> = {
  link: (id) => `/links/${id}`,
  group: (id) => `/links?group_id=${id}`,
  webhook: (id) => `/alerts/${id}`,
};

const AccountName = ({ account }: { account: { id: string; email: string | null } }) => (
  <p class="hint">
    Account {account.email ?? <span title={account.id}>that has been deleted</span>}
  </p>
);
