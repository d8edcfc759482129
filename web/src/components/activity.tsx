import {
  Building2,
  FolderOpen,
  KeyRound,
  Link2,
  type LucideIcon,
  Server,
  UserRound,
  Webhook,
  X,
} from "lucide-preact";
import { type ActivityFilter, type Entry, hrefOfActivity } from "../lib/activity.ts";
import { ACTIONS, deedOf, fieldWords, isOwn } from "../lib/activity-words.ts";
import { Chips, Moment } from "./elements.tsx";
import { DayField, Facet } from "./filter-fields.tsx";

type ActivityFiltersProps = {
  filter: ActivityFilter;
  /** Whether the user may choose between the own account and all of them. */
  canSeeAll: boolean;
  /** Name of the actor in the filter; null while it is unknown. */
  actorName: string | null;
  onChange: (filter: ActivityFilter) => void;
};

export function ActivityFilters(props: ActivityFiltersProps) {
  const { filter, canSeeAll, actorName, onChange } = props;
  const change = (some: Partial<ActivityFilter>) => onChange({ ...filter, ...some, page: 1 });
  return (
    <div class="activity-filters">
      {canSeeAll && <Places filter={filter} />}
      <Facet
        label="What was done"
        any="Everything"
        chosen={filter.action}
        choices={ACTIONS}
        onChange={(action) => change({ action })}
      />
      {filter.actor && (
        <Only
          words={`By ${actorName ?? "one"}`}
          wayOut="Show what everybody did"
          href={hrefOfActivity({ ...filter, actor: "", page: 1 })}
        />
      )}
      {filter.target && (
        <Only
          words="About one thing"
          wayOut="Show what was done to everything"
          href={hrefOfActivity({ ...filter, target: "", page: 1 })}
        />
      )}
      <fieldset class="between">
        <legend class="unseen">Days in UTC</legend>
        <DayField label="From" value={filter.from} onChange={(from) => change({ from })} />
        <DayField label="To" value={filter.to} onChange={(to) => change({ to })} />
      </fieldset>
    </div>
  );
}

const Places = ({ filter }: { filter: ActivityFilter }) => (
  <Chips
    label="Whose activity"
    chips={[false, true].map((all) => ({
      name: all ? "Whole installation" : "This account",
      href: hrefOfActivity({ ...filter, all, page: 1 }),
      isOn: filter.all === all,
    }))}
  />
);

type OnlyProps = { words: string; wayOut: string; href: string };

const Only = ({ words, wayOut, href }: OnlyProps) => (
  <span class="facet set only">
    <span>{words}</span>
    <a class="button icon" href={href} aria-label={wayOut} title={wayOut}>
      <X aria-hidden="true" />
    </a>
  </span>
);

type Target = NonNullable<Entry["target"]>;

const ICONS: Record<Target["type"], LucideIcon> = {
  account: Building2,
  person: UserRound,
  key: KeyRound,
  link: Link2,
  group: FolderOpen,
  webhook: Webhook,
  installation: Server,
};

type ActivityListProps = { entries: Entry[]; hrefOfActor: (id: string) => string };

/** Each entry is a sentence. */
export const ActivityList = ({ entries, hrefOfActor }: ActivityListProps) => (
  <ol class="activity" aria-label="Activity, newest first">
    {entries.map((entry) => (
      <Row key={entry.id} entry={entry} hrefOfActor={hrefOfActor} />
    ))}
  </ol>
);

type RowProps = { entry: Entry; hrefOfActor: (id: string) => string };

function Row({ entry, hrefOfActor }: RowProps) {
  const { action, actor, target, fields } = entry;
  const Icon = target ? ICONS[target.type] : (ICONS[kindOf(action)] ?? Server);
  const { words, after } = deedOf(entry);
  return (
    <li>
      <span class={isEnd(action) ? "sign end" : "sign"}>
        <Icon aria-hidden="true" />
      </span>
      <div class="deed">
        <p>
          <ActorName actor={actor} hrefOf={hrefOfActor} /> {words}{" "}
          {target?.name && !isOwn(entry) && <TargetName entry={entry} target={target} />} {after}
        </p>
        {fields.length > 0 && <p class="soft">Changed: {fieldWords(fields)}</p>}
        {"account" in entry && entry.account && <AccountName account={entry.account} />}
      </div>
      <p class="from">{actor.address}</p>
      <p class="when">
        <Moment at={entry.created_at} />
      </p>
    </li>
  );
}

/** Many actions have no target. */
const kindOf = (action: string) => action.split(".")[0] as Target["type"];

const isEnd = (action: string) => /\.(deleted|revoked|removed)$/.test(action);

type ActorNameProps = { actor: Entry["actor"]; hrefOf: (id: string) => string };

/** Links to everything this actor did. */
function ActorName({ actor: { kind, id, name }, hrefOf }: ActorNameProps) {
  const text = kind === "key" ? `${name}…` : name;
  const shown = kind === "operator" ? "A user of the command line" : text;
  if (kind === "stranger") {
    return <b>{name === "sign-in" ? "Someone" : "Someone with the set-up token"}</b>;
  }
  if (kind === "administrator" && id === null) return <b>An administrator</b>;
  if (id === null) return <b>{shown}</b>;
  return (
    <>
      {kind === "key" && "The API key "}
      <a class="actor" href={hrefOf(id)} title={`All that ${text} did`}>
        {shown}
      </a>
    </>
  );
}

function TargetName({ entry, target }: { entry: Entry; target: Target }) {
  const isThere = "exists" in target && target.exists;
  const href = isThere ? PAGES[target.type]?.(target.id) : undefined;
  const name = entry.action.startsWith("key.") ? `${target.name}…` : target.name;
  return href ? (
    <a class="target" href={href}>
      {name}
    </a>
  ) : (
    <span class="target">{name}</span>
  );
}

const PAGES: Partial<Record<Target["type"], (id: string) => string>> = {
  link: (id) => `/links/${id}`,
  group: (id) => `/links?group_id=${id}`,
  webhook: (id) => `/webhooks/${id}`,
};

const AccountName = ({ account }: { account: { id: string; email: string | null } }) => (
  <p class="soft">
    Account {account.email ?? <span title={account.id}>that is deleted by now</span>}
  </p>
);
