import { useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ErrorBoundary, useLocation } from "preact-iso";
import { cleared, hrefOfFilter, isNarrowed, readFilter, scopeOf } from "../data/filter.ts";
import { counted, many } from "../data/format.ts";
import { useGroupNamed } from "../data/groups.ts";
import { useHeld } from "../data/held.ts";
import { type LinkRows, type ListedLink, refreshRows, useLinkRows } from "../data/link-rows.ts";
import { type LinkFilter, useServicesByName } from "../data/links.ts";
import { sizeOf, useSelection } from "../data/selection.ts";
import { useCanWrite } from "../data/session.ts";
import { useSources } from "../data/sources.ts";
import { usePeople } from "../data/triage.ts";
import { STATUS_WORDS } from "../data/words.ts";
import { useAdd } from "../frame/add.tsx";
import { useBar } from "../frame/bar.tsx";
import { useKeys } from "../frame/keys.ts";
import { lazyPage } from "../frame/missing.tsx";
import { Button } from "../ui/button.tsx";
import { Empty, Failed, Loading, Skeleton } from "../ui/loaded.tsx";
import { MOST_PRINTED, type RowsHandle } from "../ui/rows.tsx";
import { type Asked, useDeeds } from "./deeds.ts";
import "./links.css";
import { LinkMenu, List } from "./list.tsx";
import { usePlaceKept, useReturn } from "./place.ts";
import { Tools } from "./tools.tsx";
import { hiddenIn, tokensOf, useColumns } from "./words.ts";

const NothingToDo = lazyPage(() => import("./nothing-to-do.tsx"));

/** Not part of the first view. */
const Peek = lazyPage(() => import("./drawer.tsx"));

/** Not part of the first view. Once it is there it stays, with the progress of what was begun in it. */
const SelectionBar = lazyPage(() => import("./selection-bar.tsx"));

/** One list of all links, its filter, and what can be done with them. */
export default function LinksPage() {
  const { query, route } = useLocation();
  const filter = readFilter(query);
  const kept = useReturn(filter);
  const list = useLinkRows(filter, useHeld(), kept?.scroll.index);
  const [columns, toggleColumn] = useColumns();
  const rows = useRef<RowsHandle | null>(null);
  const [current, setCurrent] = useCurrent(list.filter, kept?.current ?? -1);
  const [selection, select] = useSelection(scopeOf(list.filter));
  const wasSelected = useRef(false);
  wasSelected.current ||= sizeOf(selection, 1) > 0;
  const [isPeeking, setPeeking] = useState(false);
  const change = (next: LinkFilter) => route(hrefOfFilter(next));
  const note = usePlaceKept({ list, current, kept, rows });
  const canWrite = useCanWrite();
  const [asked, ask] = useState<Asked | null>(null);
  const { deeds, actions } = useDeeds({
    list,
    rows,
    current,
    selection,
    select,
    isPeeking,
    setPeeking,
    note,
    canWrite,
    ask,
    onClear: () => isNarrowed(filter) && change(cleared(filter)),
  });
  // The browser prints what is there; rows that were not scrolled to are loaded first.
  useKeys({
    "Ctrl+p": () =>
      void list.range(0, Math.min(list.count ?? 0, MOST_PRINTED) - 1).then(() => print()),
  });
  // Closing returns the focus to the row first.
  const goOnAfterClosing = () => requestAnimationFrame(() => deeds.go(current + 1));
  useCrumbs(filter);
  useSearchAtOnce("find" in query, () => route(hrefOfFilter(filter), true));
  useRefreshed(kept !== null);
  const { peeked, isGone } = usePeeked(list, current, isPeeking);
  const isNew = list.count === 0 && !isNarrowed(list.filter) && !list.isOld;
  return (
    <div class={peeked ? "with-drawer" : undefined}>
      <div class="list links">
        <div class="list-in">
          {isNew ? (
            <h1 class="unseen">Links</h1>
          ) : (
            <Tools
              filter={filter}
              counts={list.counts}
              columns={columns}
              onColumn={toggleColumn}
              onChange={change}
              onType={(next) => route(hrefOfFilter(next), true)}
            />
          )}
          <Arrived list={list} rows={rows} />
          <Body list={list} filter={filter} onChange={change}>
            <List
              key={hrefOfFilter(list.filter)}
              list={list}
              rows={rows}
              class={hiddenIn(columns, list.hasTags)}
              isTitled={columns.has("n")}
              current={current}
              onCurrent={setCurrent}
              selection={selection}
              deeds={deeds}
              canWrite={canWrite}
              onFilter={(part) => change({ ...filter, ...part })}
            />
          </Body>
          <Foot count={list.count} />
        </div>
        {peeked && (
          <ErrorBoundary>
            <Peek
              link={peeked}
              isGone={isGone}
              next={[list.at(current + 1), list.at(current + 2)]}
              onPrevious={() => deeds.go(current - 1)}
              onNext={() => deeds.go(current + 1)}
              onOpen={() => deeds.open(current)}
              onClose={() => setPeeking(false)}
              onCheck={() => deeds.check([peeked])}
              onAcknowledge={() => deeds.acknowledge([peeked])}
              onMute={() => deeds.choose(current, "mute")}
              menu={<LinkMenu link={peeked} index={current} deeds={deeds} canWrite={canWrite} />}
            />
          </ErrorBoundary>
        )}
      </div>
      {canWrite && wasSelected.current && (
        <ErrorBoundary>
          <SelectionBar
            filter={list.filter}
            total={list.count ?? 0}
            selection={selection}
            select={select}
            actions={actions}
            onRemove={deeds.remove}
            onDecided={(links) =>
              links.some(({ id }) => id === list.at(current)?.id) && deeds.go(current + 1)
            }
          />
        </ErrorBoundary>
      )}
      {asked && (
        <AskedSheet asked={asked} onClose={() => ask(null)} onDone={() => goOnAfterClosing()} />
      )}
    </div>
  );
}

type AskedProps = { asked: Asked; onClose: () => void; onDone: () => void };

/** Not part of the first view. */
const sheet = (name: "OverrideSheet" | "UrlSheet") =>
  lazyPage<AskedProps & { link: Asked["link"] }>(async () => ({
    default: (await import("../triage/sheets.tsx"))[name],
  }));
const SHEETS = { override: sheet("OverrideSheet"), url: sheet("UrlSheet") };

function AskedSheet(props: AskedProps) {
  const { kind, link } = props.asked;
  const Sheet = SHEETS[kind];
  return (
    <ErrorBoundary>
      <Sheet {...props} link={link} />
    </ErrorBoundary>
  );
}

/** The link in the drawer. One that someone else deletes stays there until the user goes on. */
function usePeeked(list: LinkRows, current: number, isPeeking: boolean) {
  const shown = useRef<{ index: number; link: ListedLink | undefined }>({
    index: -1,
    link: undefined,
  });
  const { index, link: last } = shown.current;
  const link = list.at(current);
  const isGone = index === current && !!last && last.id !== link?.id && list.isGone(last.id);
  if (!isPeeking || !isGone) shown.current = { index: current, link };
  return { peeked: isPeeking ? shown.current.link : undefined, isGone };
}

/** The current row of this list; −1 before one was chosen. */
function useCurrent(filter: LinkFilter, begin: number) {
  const key = hrefOfFilter(filter);
  const [held, setHeld] = useState({ key, index: begin });
  const current = held.key === key ? held.index : begin;
  return [current, (index: number) => setHeld({ key, index })] as const;
}

/** Only when the filter names a person. */
const usePeopleNames = ({ assignee }: LinkFilter) =>
  usePeople(assignee.length > 4).map(({ id, email }) => ({ id, name: email }));

function useCrumbs(filter: LinkFilter) {
  const groups = useGroupNamed(filter);
  const services = useServicesByName(filter.service !== "");
  const { data: sources = [] } = useSources(filter.source !== "");
  const { status, sort } = filter;
  const tokens = tokensOf(
    { ...filter, status: undefined },
    groups,
    services,
    usePeopleNames(filter),
    sources,
  );
  const bare = { ...cleared(filter), sort };
  useBar({
    crumbs: [
      { label: "Links", href: hrefOfFilter(bare) },
      ...(status ? [{ label: STATUS_WORDS[status], href: hrefOfFilter({ ...bare, status }) }] : []),
      ...tokens.map(({ value }) => ({ label: value })),
    ],
  });
}

/** Focuses the search if the address asks for it, and replaces the address by that of the list. */
function useSearchAtOnce(isWanted: boolean, onDone: () => void) {
  useEffect(() => {
    if (!isWanted) return;
    document.querySelector<HTMLElement>("[data-search]")?.focus();
    onDone();
  }, [isWanted]);
}

/** Rows that were kept are brought up to date where they are. */
function useRefreshed(isKept: boolean) {
  const client = useQueryClient();
  useEffect(() => {
    if (isKept) void refreshRows(client);
  }, [isKept]);
}

/** Links that newly match: they are shown when the user asks for them. */
const Arrived = ({ list, rows }: { list: LinkRows; rows: { current: RowsHandle | null } }) => (
  <div class="arrived" role="status">
    {list.arrived > 0 && (
      <button
        type="button"
        class="btn"
        onClick={() => {
          list.reload();
          rows.current?.goTo({ index: 0, offset: 0 });
        }}
      >
        {many(list.arrived)} new
      </button>
    )}
  </div>
);

type BodyProps = {
  list: LinkRows;
  filter: LinkFilter;
  onChange: (filter: LinkFilter) => void;
  children: ComponentChildren;
};

function Body({ list, filter, onChange, children }: BodyProps) {
  if (list.error) {
    return (
      <div class="pad">
        <Failed error={list.error} onRetry={list.retry} />
      </div>
    );
  }
  if (list.count === undefined) {
    return (
      <div class="list-skeleton">
        <Loading>
          <Skeleton lines={12} />
        </Loading>
      </div>
    );
  }
  if (list.count > 0) return <>{children}</>;
  if (list.filter.attention && isAttentionOnly(list.filter))
    return (
      <ErrorBoundary>
        <NothingToDo />
      </ErrorBoundary>
    );
  return isNarrowed(list.filter) ? (
    <Empty title="No matching links">
      <p>Try removing some filters.</p>
      <Button onClick={() => onChange(cleared(filter))}>Show all links</Button>
    </Empty>
  ) : (
    <NoLinks />
  );
}

const isAttentionOnly = (filter: LinkFilter) =>
  scopeOf(filter) === scopeOf({ ...cleared(filter), attention: true });

function NoLinks() {
  const add = useAdd();
  return useCanWrite() ? (
    <Empty title="No links yet">
      <p>Add your first links. Each is checked within seconds.</p>
      <Button primary onClick={() => add.open()}>
        Add links
      </Button>
    </Empty>
  ) : (
    <Empty title="No links yet">
      <p>Ask an owner or editor to add links.</p>
    </Empty>
  );
}

const Foot = ({ count }: { count: number | undefined }) =>
  count ? (
    <footer class="listfoot">
      <span role="status">{counted(count, "link")}</span>
      <span>
        <kbd>j</kbd> <kbd>k</kbd> move
      </span>
      <span>
        <kbd>x</kbd> select
      </span>
      <span>
        <kbd>Space</kbd> peek
      </span>
      <span>
        <kbd>?</kbd> all keys
      </span>
    </footer>
  ) : null;
