import {
  CircleCheck,
  CircleHelp,
  CircleX,
  FolderMinus,
  Pencil,
  RefreshCw,
  Trash2,
} from "lucide-preact";
import { counted } from "../lib/format.ts";
import type { Counted, Group } from "../lib/groups.ts";
import { IconButton } from "./elements.tsx";

type GroupDeeds = {
  canWrite: boolean;
  /** Id of the group whose check is being started. */
  checking: string | undefined;
  onCheck: (group: Group) => void;
  onEdit: (group: Group) => void;
  onDelete: (group: Group) => void;
};

type GroupListProps = { groups: Group[]; ungrouped: Counted | null } & GroupDeeds;

/** @param ungrouped counts of the links in no group, on the last page only */
export const GroupList = ({ groups, ungrouped, ...deeds }: GroupListProps) => (
  <ul class="rows groups" aria-label="Groups">
    {groups.map((group) => (
      <li key={group.id} style={{ "--group": group.color }}>
        <GroupRow group={group} {...deeds} />
      </li>
    ))}
    {ungrouped && (
      <li class="ungrouped">
        <UngroupedRow counted={ungrouped} />
      </li>
    )}
  </ul>
);

const GroupRow = ({ group, ...deeds }: { group: Group } & GroupDeeds) => (
  <>
    <div class="what">
      <h2>
        <span class="group-dot" />
        <a class="name" href={hrefOfLinks(group.id)}>
          {group.name}
        </a>
      </h2>
      {group.description && <p class="why">{group.description}</p>}
    </div>
    <StatusShare
      of={group}
      where={`in ${group.name}`}
      hrefOf={(status) => hrefOfLinks(group.id, status)}
    />
    <div class="deeds">{deeds.canWrite && <Deeds group={group} {...deeds} />}</div>
  </>
);

const Deeds = ({ group, checking, onCheck, onEdit, onDelete }: { group: Group } & GroupDeeds) => (
  <>
    <IconButton
      label={`Check all links in ${group.name} now`}
      title="Check all now"
      icon={RefreshCw}
      disabled={checking === group.id || group.link_count === 0}
      onClick={() => onCheck(group)}
    />
    <IconButton
      label={`Edit ${group.name}`}
      title="Edit"
      icon={Pencil}
      onClick={() => onEdit(group)}
    />
    <IconButton
      label={`Delete ${group.name}`}
      title="Delete"
      icon={Trash2}
      onClick={() => onDelete(group)}
    />
  </>
);

const UngroupedRow = ({ counted }: { counted: Counted }) => (
  <>
    <div class="what">
      <h2>
        <FolderMinus aria-hidden="true" />
        <a class="name" href={hrefOfLinks("none")}>
          No group
        </a>
      </h2>
    </div>
    <StatusShare
      of={counted}
      where="in no group"
      hrefOf={(status) => hrefOfLinks("none", status)}
    />
    <div class="deeds" />
  </>
);

const hrefOfLinks = (group: string, status?: string) =>
  `/links?${new URLSearchParams({ ...(status && { status }), group_id: group })}`;

const PARTS = [
  { status: "active", word: "alive", Icon: CircleCheck },
  { status: "dead", word: "dead", Icon: CircleX },
  { status: "unknown", word: "unknown", Icon: CircleHelp },
] as const;

type StatusShareProps = {
  of: Counted;
  /** Context for screen readers: "in Docs". */
  where: string;
  hrefOf: (status?: (typeof PARTS)[number]["status"]) => string;
};

/** Numbers that link to the lists, and a bar. */
const StatusShare = ({ of: { link_count: all, counts }, where, hrefOf }: StatusShareProps) => (
  <div class="share">
    <a class="share-all" href={hrefOf()}>
      {counted(all, "link")}
      <span class="unseen"> {where}</span>
    </a>
    <p class="share-numbers">
      {PARTS.map(({ status, word, Icon }) => (
        <a
          key={status}
          class={counts[status] > 0 ? `share-${status}` : "share-none"}
          href={hrefOf(status)}
          title={`${counts[status].toLocaleString("en")} ${word}`}
        >
          <Icon aria-hidden="true" />
          {counts[status].toLocaleString("en")}
          <span class="unseen">
            {" "}
            {word} {where}
          </span>
        </a>
      ))}
    </p>
    <div class="share-bar" aria-hidden="true">
      {PARTS.filter(({ status }) => counts[status] > 0).map(({ status }) => (
        <span key={status} class={`share-${status}`} style={{ flexGrow: counts[status] }} />
      ))}
    </div>
  </div>
);
