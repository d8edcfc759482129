import {
  BellOff,
  CircleCheck,
  Clock,
  Copy,
  ExternalLink,
  Eye,
  FolderInput,
  Pencil,
  RefreshCw,
  Tags,
  Trash2,
  UserRound,
} from "lucide-preact";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { FREQUENCIES } from "../../../server/ground/lib/vocabulary.ts";
import { followable, useIsPhone } from "../data/browser.ts";
import { counted } from "../data/format.ts";
import { useGroupsOf } from "../data/groups.ts";
import { fits, type LinkRows, type ListedLink } from "../data/link-rows.ts";
import { type LinkFilter, NO_GROUP } from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { isPicked, type Selection, sizeOf } from "../data/selection.ts";
import { FREQUENCY_WORDS } from "../data/words.ts";
import { IconButton } from "../ui/button.tsx";
import { Menu, type MenuItem } from "../ui/menu.tsx";
import { Row, RowHead, shapeOf } from "../ui/row.tsx";
import { Rows, type RowsHandle, type Run } from "../ui/rows.tsx";

/** A choice in the bar of the selection. */
export type Choice = "move" | "mute" | "assign" | "tags";

/** What the pointer does with a link; keys do the same. */
export type Deeds = {
  pick(index: number, isRange: boolean): void;
  pickAll(): void;
  check(links: ListedLink[]): void;
  frequency(links: ListedLink[], frequency: (typeof FREQUENCIES)[number]): void;
  remove(links: ListedLink[]): void;
  /** Selects the link, and opens that choice of the bar. */
  choose(index: number, what: Choice): void;
  /** Acknowledges the links, or takes that back, and goes on. */
  acknowledge(links: ListedLink[]): void;
  override(link: ListedLink): void;
  replaceUrl(link: ListedLink): void;
  open(index: number): void;
  /** Notes that the link is about to be opened from here. */
  note(index: number): void;
  peek(index: number): void;
  copy(link: ListedLink): void;
};

type ListProps = {
  list: LinkRows;
  class: string;
  rows: RefObject<RowsHandle | null>;
  current: number;
  onCurrent: (index: number) => void;
  selection: Selection;
  /** Null for viewers. */
  deeds: Deeds;
  canWrite: boolean;
  onFilter: (change: Partial<LinkFilter>) => void;
  /** Whether titles are shown instead of URLs. */
  isTitled: boolean;
};

/** The rows of all links that match. */
export function List(props: ListProps) {
  const { list, rows, current, onCurrent, selection, deeds, canWrite, onFilter } = props;
  const { filter, count = 0 } = list;
  const { byId, show } = useGroupsInView(list);
  const runs = useRuns(list);
  const narrow = (event: Event, part: Partial<LinkFilter>) => {
    // The link around the host is not followed.
    event.preventDefault();
    event.stopPropagation();
    onFilter(part);
  };
  const press = useLongPress((index) => canWrite && deeds.pick(index, false));
  const attributes = (link: ListedLink, index: number) => ({
    class: classOf(link, filter, isPicked(selection, link.id)),
    ...(canWrite && { "aria-selected": isPicked(selection, link.id) }),
    onKeyDown: (event: KeyboardEvent) => pressed(event, index, deeds, canWrite),
    onClickCapture: press.swallow,
    onClick: (event: MouseEvent) => {
      const part = event.target as Element;
      if (!part.closest(".c-u a")) return;
      const isOther = filter.site !== link.site;
      if (isOther && part.closest(".url b") && isPlain(event)) narrow(event, { site: link.site });
      else deeds.note(index);
    },
    ...press.on(index),
  });
  return (
    <div class={props.class}>
      <Rows
        label="Links"
        runs={runs}
        head={
          <RowHead sort={filter.sort} onSort={(sort) => onFilter({ sort })}>
            {canWrite && <AllBox selection={selection} total={count} onPick={deeds.pickAll} />}
          </RowHead>
        }
        itemAt={list.at}
        onShow={show}
        handle={rows}
        current={current}
        onCurrent={onCurrent}
        attributes={attributes}
      >
        {(link, index, isHovered) => (
          <Row
            link={link}
            group={link.group_id ? (byId.get(link.group_id) ?? null) : null}
            mark={filter.search}
            picked={canWrite ? isPicked(selection, link.id) : undefined}
            onPick={(event) => deeds.pick(index, event.shiftKey)}
            onReason={() => onFilter({ reason: link.reason ?? "" })}
            onGroup={() => onFilter({ group: link.group_id ?? NO_GROUP })}
            onTag={(tag) => onFilter({ tag })}
            isTitled={props.isTitled}
            acts={
              (isHovered || index === current) && (
                <Acts link={link} index={index} deeds={deeds} canWrite={canWrite} />
              )
            }
          />
        )}
      </Rows>
    </div>
  );
}

/** The groups of the rows in view, and how to say which these are. */
function useGroupsInView(list: LinkRows) {
  const [[first, last], setShown] = useState([0, 0]);
  const ids = Array.from({ length: last - first + 1 }, (_, n) => list.at(first + n)?.group_id);
  const { byId } = useGroupsOf([...new Set(ids)].filter((id) => typeof id === "string"));
  const show = (from: number, to: number) => {
    list.show(from, to);
    setShown((before) =>
      before[0] === from && before[1] === to ? before : [from, Math.max(from, to)],
    );
  };
  return { byId, show };
}

const isPlain = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) =>
  !ctrlKey && !metaKey && !shiftKey && !altKey;

const JUST_MS = 1500;

function classOf(link: ListedLink, filter: LinkFilter, isPicked: boolean): string {
  const isNew = link.changedAt !== undefined && Date.now() - link.changedAt < JUST_MS;
  const shape = shapeOf(link);
  return [
    `r-${{ active: "alive", waiting: "checking" }[shape as string] ?? shape}`,
    isPicked && "sel",
    isNew && "new",
    !fits(link, filter) && "retired",
  ]
    .filter(Boolean)
    .join(" ");
}

/** Keys of the row that has the focus; inside it, buttons have their own. */
function pressed(event: KeyboardEvent, index: number, deeds: Deeds, canWrite: boolean) {
  if (event.target !== event.currentTarget) return;
  const { key, shiftKey } = event;
  if (key === "Enter") deeds.open(index);
  else if (key === " " && shiftKey && canWrite) deeds.pick(index, true);
  else if (key === " ") deeds.peek(index);
  else return;
  event.preventDefault();
}

type AllBoxProps = { selection: Selection; total: number; onPick: () => void };

function AllBox({ selection, total, onPick }: AllBoxProps) {
  const count = sizeOf(selection, total);
  const box = useRef<HTMLInputElement>(null);
  const isSome = count > 0 && count < total;
  useEffect(() => {
    if (box.current) box.current.indeterminate = isSome;
  }, [isSome]);
  return (
    <input
      ref={box}
      type="checkbox"
      checked={count > 0 && count >= total}
      aria-label={`Select all ${counted(total, "link")}`}
      onClick={onPick}
    />
  );
}

type ActsProps = { link: ListedLink; index: number; deeds: Deeds; canWrite: boolean };

const Acts = ({ link, index, deeds, canWrite }: ActsProps) => {
  const site = followable(link.url);
  const off = useOff();
  return (
    <>
      {site && <IconButton icon={ExternalLink} label="Open the site" href={site} target="_blank" />}
      {canWrite && (
        <IconButton
          icon={RefreshCw}
          label="Check now"
          keys="R"
          off={off}
          onClick={() => deeds.check([link])}
        />
      )}
      {canWrite && link.status !== "active" && link.last_check && (
        <IconButton
          icon={CircleCheck}
          label={link.handling === "acknowledged" ? "Reopen" : "Acknowledge"}
          keys="E"
          off={off}
          onClick={() => deeds.acknowledge([link])}
        />
      )}
      <LinkMenu link={link} index={index} deeds={deeds} canWrite={canWrite} />
    </>
  );
};

/** Everything that can be done with one link. */
export const LinkMenu = ({ link, index, deeds, canWrite }: ActsProps) => {
  const off = useOff();
  return (
    <Menu
      label="More"
      items={[
        { label: "Copy URL", icon: Copy, onSelect: () => deeds.copy(link) },
        canWrite && {
          label: "Move to a group",
          icon: FolderInput,
          keys: "V",
          off,
          onSelect: () => deeds.choose(index, "move"),
        },
        ...(canWrite ? triageItems({ link, index, deeds, off }) : []),
        canWrite && "line",
        ...(canWrite
          ? FREQUENCIES.map((frequency) => ({
              label: `Check ${FREQUENCY_WORDS[frequency].toLowerCase()}`,
              icon: Clock,
              checked: link.check_frequency === frequency,
              off,
              onSelect: () => deeds.frequency([link], frequency),
            }))
          : []),
        canWrite && "line",
        canWrite && {
          label: "Delete",
          icon: Trash2,
          keys: "#",
          off,
          danger: true,
          onSelect: () => deeds.remove([link]),
        },
      ]}
    />
  );
};

type TriageInput = Omit<ActsProps, "canWrite"> & { off: string | undefined };

const triageItems = ({ link, index, deeds, off }: TriageInput): MenuItem[] => [
  {
    label: link.handling === "acknowledged" ? "Reopen" : "Acknowledge",
    icon: CircleCheck,
    keys: "E",
    off: off ?? (link.status === "active" ? "The link is alive" : undefined),
    onSelect: () => deeds.acknowledge([link]),
  },
  { label: "Mute", icon: BellOff, keys: "S", off, onSelect: () => deeds.choose(index, "mute") },
  {
    label: "Override",
    icon: Eye,
    keys: "O",
    off: off ?? (link.status === "active" ? "The link is alive" : undefined),
    onSelect: () => deeds.override(link),
  },
  {
    label: "Assign",
    icon: UserRound,
    keys: "I",
    off,
    onSelect: () => deeds.choose(index, "assign"),
  },
  { label: "Tags", icon: Tags, keys: "T", off, onSelect: () => deeds.choose(index, "tags") },
  { label: "Replace URL", icon: Pencil, keys: "U", off, onSelect: () => deeds.replaceUrl(link) },
];

/** On a phone, links that are alive take one line, and the others two. */
const [ONE_LINE, TWO_LINES, DESK] = [48, 60, 40];

/** Heights follow from the order, so they are known of rows that are not loaded. */
function useRuns({ count = 0, counts, filter }: LinkRows): Run[] {
  const isPhone = useIsPhone();
  const { status, sort } = filter;
  const first = useRef<number | undefined>(undefined);
  // As it was at first: nothing moves later.
  if (counts && first.current === undefined) first.current = counts.dead + counts.unknown;
  return useMemo(() => {
    if (!isPhone) return [{ count, height: DESK }];
    if (status === "active") return [{ count, height: ONE_LINE }];
    if (status || sort !== "dead_first") return [{ count, height: TWO_LINES }];
    const high = Math.min(first.current ?? count, count);
    return [
      { count: high, height: TWO_LINES },
      { count: count - high, height: ONE_LINE },
    ];
  }, [isPhone, count, status, sort, first.current]);
}

const LONG_MS = 500;

/** Selects on a phone, where there is no room for boxes. */
function useLongPress(onPress: (index: number) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const wasLong = useRef(false);
  const cancel = () => clearTimeout(timer.current);
  return {
    /** The click at the end of a long press does nothing else. */
    swallow: (event: MouseEvent) => {
      if (!wasLong.current) return;
      wasLong.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
    on: (index: number) => ({
      onPointerDown: ({ pointerType }: PointerEvent) => {
        wasLong.current = false;
        if (pointerType === "mouse") return;
        timer.current = setTimeout(() => {
          wasLong.current = true;
          onPress(index);
        }, LONG_MS);
      },
      onPointerUp: cancel,
      onPointerCancel: cancel,
      onPointerMove: cancel,
    }),
  };
}
