import { FolderMinus, Pencil, RefreshCw, Trash2 } from "lucide-preact";
import type { Counted, Group } from "../lib/groups.ts";
import { IconButton } from "./icon-button.tsx";
import { StatusShare } from "./status-share.tsx";

type GroupDeeds = {
  canWrite: boolean;
  /** Whose check is being asked for, so that nobody asks twice. */
  checking: string | undefined;
  onCheck: (group: Group) => void;
  onEdit: (group: Group) => void;
  onDelete: (group: Group) => void;
};

type GroupListProps = { groups: Group[]; ungrouped: Counted | null } & GroupDeeds;

/** @param ungrouped the links in no group, which stand at the end of all */
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
