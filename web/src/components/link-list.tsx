import { Download, RefreshCw, Trash2 } from "lucide-preact";
import { exportHref } from "../lib/filter.ts";
import type { Group } from "../lib/groups.ts";
import { explain, type Link, type LinkFilter, SORTS, type Sort } from "../lib/links.ts";
import { GroupName, IconButton, Moment, Since } from "./elements.tsx";
import { OpenOutside } from "./outside-link.tsx";
import { Status } from "./status.tsx";

/** Null for viewers, who cannot select links. */
export type Picking = {
  isPicked: (id: string) => boolean;
  /** @param isRange whether to select everything from the last selected link to this one */
  onPick: (id: string, isRange: boolean) => void;
};

type Deeds = {
  picking: Picking | null;
  onCheck: (link: Link) => void;
  onDelete: (link: Link) => void;
};

type LinkListProps = { links: Link[]; groups: Group[]; isOld: boolean } & Deeds;

export function LinkList({ links, groups, isOld, ...deeds }: LinkListProps) {
  const groupOf = ({ group_id: id }: Link) => groups.find((group) => group.id === id);
  const rowClass = ({ id }: Link) => (deeds.picking?.isPicked(id) ? "picked" : undefined);
  return (
    <ul class={isOld ? "rows links old" : "rows links"} aria-label="Links" aria-busy={isOld}>
      {links.map((link) => (
        <li
          key={link.id}
          class={rowClass(link)}
          onKeyDown={(event) => {
            if (isPickKey(event)) deeds.picking?.onPick(link.id, event.shiftKey);
          }}
        >
          <LinkRow link={link} group={groupOf(link)} {...deeds} />
        </li>
      ))}
    </ul>
  );
}

/** `x` selects the focused row. */
const isPickKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.toLowerCase() === "x" && !ctrlKey && !metaKey && !altKey;

type LinkRowProps = { link: Link; group: Group | undefined } & Deeds;

const LinkRow = ({ link, group, picking, onCheck, onDelete }: LinkRowProps) => (
  <>
    {picking && <PickLink link={link} {...picking} />}
    <div class="state">
      <Status of={link.status} />
      {link.last_check && link.status !== "checking" && <Since at={link.status_changed_at} />}
    </div>
    <div class="what">
      <LinkUrl link={link} />
      <p class="why">
        <span title={explain(link)}>{explain(link)}</span>
        {group && <GroupName group={group} />}
      </p>
    </div>
    <p class="when">
      <LastCheck link={link} />
      <span>{link.check_frequency}</span>
    </p>
    <div class="deeds">
      <OpenOutside url={link.url} />
      {picking && <Changes link={link} onCheck={onCheck} onDelete={onDelete} />}
    </div>
  </>
);

const LastCheck = ({ link: { last_check: last } }: { link: Link }) =>
  last ? (
    <span>
      <span class="unseen">Checked </span>
      <Moment at={last.checked_at} />
    </span>
  ) : (
    <span>not checked</span>
  );

const TAIL = 14;

/** The end identifies a URL, so the middle is shortened. */
const LinkUrl = ({ link: { id, url } }: { link: Link }) => (
  <a class="url" href={`/links/${id}`} title={url} aria-label={url}>
    <span>{url.slice(0, -TAIL)}</span>
    <span>{url.slice(-TAIL)}</span>
  </a>
);

const Changes = ({ link, onCheck, onDelete }: { link: Link } & Omit<Deeds, "picking">) => (
  <>
    <IconButton
      label={`Check ${link.url} now`}
      title="Check now"
      icon={RefreshCw}
      disabled={link.status === "checking"}
      onClick={() => onCheck(link)}
    />
    <IconButton
      label={`Delete ${link.url}`}
      title="Delete"
      icon={Trash2}
      onClick={() => onDelete(link)}
    />
  </>
);

type PickLinkProps = {
  link: Link;
  isPicked: (id: string) => boolean;
  onPick: (id: string, isRange: boolean) => void;
};

/** With Shift, a click or the space bar selects a range. */
const PickLink = ({ link: { id, url }, isPicked, onPick }: PickLinkProps) => (
  <label class="pick">
    <input
      type="checkbox"
      aria-label={`Select ${url}`}
      aria-keyshortcuts="x"
      checked={isPicked(id)}
      onMouseDown={keepText}
      onClick={(event) => onPick(id, event.shiftKey)}
    />
  </label>
);

/** Selecting a range of rows must not select text. */
const keepText = (event: MouseEvent) => event.shiftKey && event.preventDefault();

const SORT_NAMES: Record<Sort, string> = {
  "-created_at": "Newest",
  created_at: "Oldest",
  "-status_changed_at": "Status changed last",
  status_changed_at: "Status changed first",
  url: "URL A–Z",
  "-url": "URL Z–A",
};

type ListToolsProps = {
  filter: LinkFilter;
  /** How much of the page is selected; null for viewers. */
  picked: "none" | "some" | "all" | null;
  onPickPage: () => void;
  onSort: (sort: Sort) => void;
};

export const ListTools = ({ filter, picked, onPickPage, onSort }: ListToolsProps) => (
  <div class="list-tools">
    {picked && (
      <label class="pick">
        <input
          type="checkbox"
          checked={picked === "all"}
          indeterminate={picked === "some"}
          onClick={onPickPage}
        />
        Select page
      </label>
    )}
    <label class="sort">
      <span>Sort by</span>
      <select aria-label="Sort by" onChange={(event) => onSort(event.currentTarget.value as Sort)}>
        {SORTS.map((sort) => (
          <option key={sort} value={sort} selected={sort === filter.sort}>
            {SORT_NAMES[sort]}
          </option>
        ))}
      </select>
    </label>
    <a
      class="button plain"
      href={exportHref(filter)}
      download
      aria-label="Export CSV"
      title="Download the links that this list shows, on all its pages, as CSV"
    >
      <Download aria-hidden="true" />
      <span>Export CSV</span>
    </a>
  </div>
);
