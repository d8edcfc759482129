import {
  BellOff,
  CircleCheck,
  FolderInput,
  RefreshCw,
  Tags,
  Trash2,
  UserRound,
} from "lucide-preact";
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Frequency } from "../../../server/ground/lib/vocabulary.ts";
import { copyText } from "../data/browser.ts";
import { counted } from "../data/format.ts";
import type { LinkRows, ListedLink } from "../data/link-rows.ts";

import {
  isPicked,
  MOST_NAMED,
  NOTHING,
  type Selection,
  sizeOf,
  toggled,
  without,
  withRange,
} from "../data/selection.ts";
import { acknowledgement } from "../data/triage.ts";
import { useCommands, useKeys } from "../frame/keys.ts";
import { useOffline, useToast } from "../frame/toast.tsx";
import type { RowsHandle } from "../ui/rows.tsx";
import { useLinkActions } from "./actions.ts";
import type { Choice, Deeds } from "./list.tsx";

type DeedsInput = {
  list: LinkRows;
  rows: RefObject<RowsHandle | null>;
  current: number;
  selection: Selection;
  select: (selection: Selection) => void;
  isPeeking: boolean;
  setPeeking: (isOn: boolean) => void;
  /** Notes where the list is, before a link is opened. */
  note: (index: number) => void;
  canWrite: boolean;
  /** Clears the filter. */
  onClear: () => void;
  /** Opens a sheet about a link. */
  ask: (asked: Asked) => void;
};

/** What a sheet is open for. */
export type Asked = { kind: "override" | "url"; link: ListedLink };

const PAGE = 15;

/** What keys and the pointer do in the list. */
export function useDeeds(input: DeedsInput) {
  const { list, rows, current, selection, select, setPeeking, note, ask } = input;
  const { route } = useLocation();
  const toast = useToast();
  const actions = useLinkActions();
  const openChoice = useOpened();
  const last = Math.max((list.count ?? 0) - 1, 0);
  const here = list.at(current);
  const deeds: Deeds & { go(index: number): void } = {
    go: (index) => rows.current?.focus(Math.min(Math.max(index, 0), last)),
    async pick(index, isRange) {
      const link = list.at(index);
      const from = selection.kind === "some" ? selection.last : null;
      if (!link) return;
      if (!isRange || from === null) return select(toggled(selection, link, index));
      const range = await list.range(Math.min(from, index), Math.max(from, index));
      if (range.length > MOST_NAMED) return toast(`Select up to ${MOST_NAMED} links by name.`);
      select(withRange(selection, range, index));
    },
    async pickAll() {
      const total = list.count ?? 0;
      if (sizeOf(selection, total) >= total) return select(NOTHING);
      if (total > MOST_NAMED) return select({ kind: "all" });
      select(withRange(NOTHING, await list.range(0, last), last));
    },
    check: (links) => void actions.check(links),
    frequency: (links, frequency: Frequency) =>
      void actions.change(links, { kind: "frequency", frequency }),
    remove(links) {
      const ids = links.map(({ id }) => id);
      actions.remove(links);
      select(without(selection, ids));
      // The next row takes the place of the first one.
      const [first] = links;
      if (first && here && ids.includes(here.id)) deeds.go(current);
    },
    choose(index, what) {
      const link = list.at(index);
      if (!link) return;
      if (!isPicked(selection, link.id)) select(toggled(NOTHING, link, index));
      openChoice(`.selbar .task-${what}`);
    },
    acknowledge(links) {
      void actions.change(links, acknowledgement(links));
      select(
        without(
          selection,
          links.map(({ id }) => id),
        ),
      );
      if (here && links.some(({ id }) => id === here.id)) deeds.go(current + 1);
    },
    override: (link) => ask({ kind: "override", link }),
    replaceUrl: (link) => ask({ kind: "url", link }),
    open(index) {
      const link = list.at(index);
      if (!link) return;
      note(index);
      route(`/links/${link.id}`);
    },
    note,
    peek(index) {
      if (index !== current) deeds.go(index);
      setPeeking(index !== current || !input.isPeeking);
    },
    copy: ({ url }) => void copyText(url).then((isDone) => toast(isDone ? "Copied" : "Not copied")),
  };
  useListKeys(input, deeds, actions, here, openChoice);
  return { deeds, actions };
}

function useListKeys(
  { list, current, selection, select, isPeeking, setPeeking, canWrite, onClear }: DeedsInput,
  deeds: Deeds & { go(index: number): void },
  actions: ReturnType<typeof useLinkActions>,
  here: ListedLink | undefined,
  openChoice: (name: string) => void,
) {
  const last = (list.count ?? 0) - 1;
  /** The selected links, else the current one. */
  const some = () => {
    if (selection.kind === "some" && selection.links.size > 0) return [...selection.links.values()];
    return here ? [here] : [];
  };
  const press = (name: string) => document.querySelector<HTMLElement>(name)?.click();
  const next = () => deeds.go(current + 1);
  const previous = () => deeds.go(current - 1);
  useKeys({
    j: next,
    k: previous,
    ArrowDown: next,
    ArrowUp: previous,
    Home: () => deeds.go(0),
    End: () => deeds.go(last),
    PageDown: () => deeds.go(current + PAGE),
    PageUp: () => deeds.go(current - PAGE),
    Space: () => deeds.peek(current),
    Enter: () => deeds.open(current),
    f: () => press(".tools .filter"),
    Escape: () => {
      if (isPeeking) setPeeking(false);
      else if (sizeOf(selection, 1) > 0) select(NOTHING);
      else onClear();
    },
  });
  const { unlessOff } = useOffline();
  const check = unlessOff(() =>
    selection.kind === "all" ? press(".selbar .btn") : actions.check(some()),
  );
  const choose = (what: Choice) =>
    unlessOff(() =>
      sizeOf(selection, 1) > 0 ? openChoice(`.selbar .task-${what}`) : deeds.choose(current, what),
    );
  const move = choose("move");
  const acknowledge = unlessOff(() => {
    if (selection.kind === "all") press(".selbar .task-acknowledge");
    else if (some().length > 0) deeds.acknowledge(some());
  });
  const override = unlessOff(() => here && deeds.override(here));
  const replaceUrl = unlessOff(() => here && deeds.replaceUrl(here));
  const remove = unlessOff(() => {
    if (selection.kind === "all") press('.selbar [aria-label="Delete"]');
    else if (some().length > 0) deeds.remove(some());
  });
  const isOn = canWrite && last >= 0;
  useKeys(
    {
      x: () => deeds.pick(current, false),
      "Shift+x": () => deeds.pick(current, true),
      r: check,
      v: move,
      "#": remove,
      e: acknowledge,
      s: choose("mute"),
      i: choose("assign"),
      t: choose("tags"),
      o: override,
      u: replaceUrl,
    },
    isOn,
  );
  const count = selection.kind === "all" ? last + 1 : some().length;
  const about = { hint: counted(count, "link") };
  useCommands(
    isOn && count > 0
      ? [
          { label: "Check now", icon: RefreshCw, keys: "r", onSelect: check, ...about },
          { label: "Acknowledge", icon: CircleCheck, keys: "e", onSelect: acknowledge, ...about },
          ...(
            [
              ["Mute", BellOff, "s", "mute"],
              ["Assign", UserRound, "i", "assign"],
              ["Tags", Tags, "t", "tags"],
            ] as const
          ).map(([label, icon, keys, what]) => ({
            label,
            icon,
            keys,
            ...about,
            onSelect: choose(what),
          })),
          { label: "Move to a group", icon: FolderInput, keys: "v", onSelect: move, ...about },
          { label: "Delete", icon: Trash2, keys: "#", onSelect: remove, ...about },
        ]
      : [],
  );
}

/** The bar is loaded when something is first selected. */
const MOST_WAIT_MS = 3000;

/** Presses a button as soon as it is there. */
function useOpened(): (name: string) => void {
  const [wanted, setWanted] = useState({ name: "", count: 0 });
  useEffect(() => {
    if (wanted.count === 0) return;
    const last = performance.now() + MOST_WAIT_MS;
    let frame = 0;
    const press = () => {
      const button = document.querySelector<HTMLElement>(wanted.name);
      if (button) button.click();
      else if (performance.now() < last) frame = requestAnimationFrame(press);
    };
    press();
    return () => cancelAnimationFrame(frame);
  }, [wanted.count]);
  return (name) => setWanted(({ count }) => ({ name, count: count + 1 }));
}
