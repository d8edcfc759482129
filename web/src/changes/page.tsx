import { useQuery } from "@tanstack/preact-query";
import { ArrowRight, BellOff, CalendarClock, Folder, Globe, ShieldAlert, X } from "lucide-preact";
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type Format, formatIcon } from "../data/alerts.ts";
import {
  type ChangeEntry,
  type ChangeKind,
  changedTo,
  changeTitle,
  hrefOf,
  hrefOfChange,
} from "../data/changes.ts";
import { OVERVIEW } from "../data/counts.ts";
import { placeOf, shownHost } from "../data/display-url.ts";
import { dayText, shortLength } from "../data/format.ts";
import { useGroupNames, useGroups } from "../data/groups.ts";
import { useBar } from "../frame/bar.tsx";
import { Button, Seg } from "../ui/button.tsx";
import { GroupPick } from "../ui/group-pick.tsx";
import { Empty, Loaded } from "../ui/loaded.tsx";
import { choices, FilterPick, Menu } from "../ui/menu.tsx";
import { LastVisit, Moment } from "../ui/moment.tsx";
import { State } from "../ui/state.tsx";
import { Proof } from "../ui/trace.tsx";
import { LinkList, Url } from "../ui/url.tsx";
import {
  beginOf,
  byDay,
  dayTitle,
  type Filter,
  type Message,
  messageText,
  readFilter,
  SPAN_NAMES,
  toQuery,
  useChanges,
  useSiteNames,
} from "./queries.ts";
import "./changes.css";

/** What happened, and who was notified. */
export default function ChangesPage() {
  useBar({ crumbs: [{ label: "Changes" }] });
  const { query, route } = useLocation();
  const filter = readFilter(query);
  const changes = useChanges(filter);
  const show = (change: Partial<Filter>) =>
    route(hrefOf("/changes", toQuery({ ...filter, ...change })), true);
  return (
    <div class="pad narrow">
      <Tools filter={filter} onChange={show} />
      <Loaded query={changes}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items);
          return entries.length === 0 ? (
            <None filter={filter} onClear={() => show({ kind: null, group: null, site: null })} />
          ) : (
            <>
              <Days entries={entries} />
              <Older query={changes} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

type ToolsProps = { filter: Filter; onChange: (change: Partial<Filter>) => void };

function Tools({ filter, onChange }: ToolsProps) {
  const { data: groups = [] } = useGroups();
  const nameOf = useGroupNames(filter.group ? [filter.group] : []);
  return (
    <div class="tools flat">
      <h1 class="unseen">Changes</h1>
      <Seg<ChangeKind | "all">
        label="What"
        value={filter.kind ?? "all"}
        onChange={(kind) => onChange({ kind: kind === "all" ? null : kind })}
        options={[
          { value: "all", label: "All" },
          { value: "died", label: "Died", mark: <State status="dead" hidden /> },
          { value: "came_back", label: "Came back", mark: <State status="active" hidden /> },
          {
            value: "became_unknown",
            label: "Became unknown",
            mark: <State status="unknown" hidden />,
          },
          { value: "moved", label: "Moved", mark: <State status="moved" hidden /> },
          {
            value: "certificate",
            label: "Certificate",
            mark: <ShieldAlert class="i" aria-hidden="true" />,
          },
        ]}
      />
      <span class="gap" />
      {groups.length > 0 && (
        <GroupPick
          label="Group"
          icon={Folder}
          button={filter.group ? nameOf(filter.group) : "Any group"}
          value={filter.group}
          none="Any group"
          onPick={(group) => onChange({ group: group?.id ?? null })}
        />
      )}
      <SitePick filter={filter} onChange={onChange} />
      <Menu
        label="Time"
        icon={CalendarClock}
        button={SPAN_NAMES[filter.span]}
        items={choices(SPAN_NAMES, filter.span, (span) => onChange({ span }))}
      />
    </div>
  );
}

function SitePick({ filter: { site }, onChange }: ToolsProps) {
  const [search, setSearch] = useState("");
  const { data } = useSiteNames(search);
  return (
    <FilterPick
      label="Site"
      icon={Globe}
      any="Any site"
      value={site}
      shown={site && shownHost(site)}
      options={data?.items.map(({ site: name }) => ({ value: name, label: shownHost(name) })) ?? []}
      onSearch={setSearch}
      onPick={(name) => onChange({ site: name })}
    />
  );
}

/** With a line where the last visit ended. */
function Days({ entries }: { entries: ChangeEntry[] }) {
  const lastVisit = useQuery(OVERVIEW).data?.since?.at;
  const first = lastVisit ? entries.find(({ changed_at: at }) => at <= lastVisit) : undefined;
  const isNew = first !== entries[0];
  return (
    <>
      {byDay(entries).map(({ day, entries }) => (
        <section key={day} aria-label={dayTitle(day, Date.now())}>
          {isNew && entries[0] === first && lastVisit && (
            <p class="seen">
              <LastVisit at={lastVisit} />
            </p>
          )}
          <h2 class="day">{dayTitle(day, Date.now())}</h2>
          <ol class="changes">
            {entries.map((entry, n) => (
              <Fragment key={entry.id}>
                {isNew && n > 0 && entry === first && lastVisit && (
                  <li>
                    <p class="seen">
                      <LastVisit at={lastVisit} />
                    </p>
                  </li>
                )}
                <Entry entry={entry} />
              </Fragment>
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

/** Loads earlier changes when it comes into view. */
function Older({ query }: { query: ReturnType<typeof useChanges> }) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!hasNextPage || !end.current) return;
    const watch = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting && void fetchNextPage(),
      { rootMargin: "400px" },
    );
    watch.observe(end.current);
    return () => watch.disconnect();
  }, [hasNextPage, fetchNextPage]);
  return (
    <div class="listfoot" ref={end}>
      {hasNextPage ? (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older changes
        </Button>
      ) : (
        <span>The first verdict of a new link is not a change.</span>
      )}
    </div>
  );
}

function None({ filter, onClear }: { filter: Filter; onClear: () => void }) {
  const now = Date.now();
  const since = beginOf(filter.span, now);
  const isFiltered = filter.kind || filter.group || filter.site;
  const what = isFiltered ? "No matching changes" : "No changes";
  return (
    <Empty title={since ? `${what} since ${dayText(since, now)}` : `${what} yet`}>
      <p>The first verdict of a new link is not a change.</p>
      {isFiltered && (
        <Button icon={X} onClick={onClear}>
          Clear the filter
        </Button>
      )}
    </Empty>
  );
}

/** What happened to links of a site at one time, and who was notified. */
const Entry = ({ entry }: { entry: ChangeEntry }) => (
  <li class="chg">
    <Moment at={entry.changed_at} time />
    <State status={changedTo(entry)} hidden />
    <div class="chg-b">
      <p>
        <b>{changeTitle(entry)}</b>
        <How entry={entry} />
      </p>
      {entry.count === 1 ? <OneLink entry={entry} /> : <SomeLinks entry={entry} />}
    </div>
    <Messages messages={entry.messages} />
  </li>
);

/** The reason of a death, or how long a link had been dead. */
function How({ entry }: { entry: ChangeEntry }) {
  const status = changedTo(entry);
  if (status === "dead" || status === "unknown")
    return <Proof reason={entry.reason} cause={entry.cause} status={status} />;
  if (entry.kind !== "came_back") return null;
  return <span class="soft">after {shortLength(Math.max(entry.lasted_ms, 60_000))}</span>;
}

function OneLink({ entry: { links, final_url: end, kind } }: { entry: ChangeEntry }) {
  const [link] = links;
  if (!link) return null;
  return (
    <p class="who">
      <a href={`/links/${link.id}`}>
        <Url url={link.url} />
      </a>
      {kind === "moved" && end && (
        <>
          <ArrowRight class="i" aria-label="to" />
          <Url url={end} />
        </>
      )}
    </p>
  );
}

const SomeLinks = ({ entry }: { entry: ChangeEntry }) => (
  <>
    <p class="who">{placeOf(entry)}</p>
    <LinkList links={entry.links} count={entry.count} href={hrefOfChange(entry)} />
  </>
);

const Messages = ({ messages }: { messages: Message[] }) => (
  <span class="sent-to">
    {messages.map((message) => (
      <MessageLine key={`${message.webhook_id} ${message.state}`} message={message} />
    ))}
  </span>
);

function MessageLine({ message }: { message: Message }) {
  const { webhook_id: id, format, state } = message;
  const Icon = state === "failed" ? BellOff : formatIcon(format as Format);
  return (
    <a class={state === "failed" ? "notified bad" : "notified"} href={`/alerts/${id}`}>
      <Icon class="i" aria-hidden="true" />
      {messageText(message)}
    </a>
  );
}
