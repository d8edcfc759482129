import { useQuery } from "@tanstack/preact-query";
import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { onReadAhead } from "../data/ahead.ts";
import { useIsPhone } from "../data/browser.ts";
import { hrefOf } from "../data/changes.ts";
import { displayUrl } from "../data/display-url.ts";
import { counted, many } from "../data/format.ts";
import { useHeld } from "../data/held.ts";
import { useCanWrite } from "../data/session.ts";
import { ALL_SOURCES, isRunning, refreshWhile, type Source } from "../data/sources.ts";
import { useBar } from "../frame/bar.tsx";
import { useRowKeys } from "../frame/row-keys.ts";
import { Button, Seg } from "../ui/button.tsx";
import { Empty, Loaded, Skeleton } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Heads, Rows } from "../ui/rows.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { State } from "../ui/state.tsx";
import { NewSource } from "./form.tsx";
import { iconOf, KINDS } from "./kinds.ts";
import { stateOf } from "./words.ts";
import "./sources.css";

onReadAhead("/sources", (client) => void client.prefetchQuery(ALL_SOURCES));

/** Where links come from. */
export default function SourcesPage() {
  useBar({ crumbs: [{ label: "Sources" }] });
  const { query, route } = useLocation();
  const canWrite = useCanWrite();
  const sources = useQuery({
    ...ALL_SOURCES,
    refetchInterval: ({ state }) => refreshWhile(state.data),
  });
  const held = useHeld();
  const add = () => route("/sources?new", true);
  return (
    <div class="list">
      <div class="list-in">
        <Loaded query={sources} heading="Sources" skeleton={<Skeleton lines={12} />}>
          {(all) => {
            const shown = all.filter(({ id }) => !held.has(id));
            return shown.length > 0 ? <Known sources={shown} onAdd={add} /> : <None onAdd={add} />;
          }}
        </Loaded>
      </div>
      {canWrite && query.new !== undefined && (
        <NewSource
          key={query.new}
          address={query.new}
          onClose={(id) => route(id ? `/sources/${id}` : "/sources", true)}
        />
      )}
    </div>
  );
}

type OnAdd = { onAdd: () => void };

const NewButton = ({ onAdd, primary = false }: OnAdd & { primary?: boolean }) =>
  useCanWrite() ? (
    <Button class="src-new" icon={Plus} primary={primary} onClick={onAdd}>
      New source
    </Button>
  ) : null;

const None = ({ onAdd }: OnAdd) => (
  <>
    <h1 class="unseen">Sources</h1>
    <Empty title="No sources yet">
      <p>
        A source is a site, a sitemap, a feed, a repository or a list of links. Stillup reads it
        regularly, adds the links that it finds, and says on which page each dead link is.
      </p>
      <NewButton onAdd={onAdd} primary />
    </Empty>
  </>
);

const WHICH = {
  all: { label: "All", has: () => true },
  dead: { label: "With dead links", has: ({ counts }: Source) => counts.dead > 0 },
  failing: { label: "Failing", has: ({ status }: Source) => status === "failing" },
};
type Which = keyof typeof WHICH;

function Known({ sources, onAdd }: OnAdd & { sources: Source[] }) {
  const { query } = useLocation();
  const [which, setWhich] = useState<Which>(query.status === "failing" ? "failing" : "all");
  const [search, setSearch] = useState("");
  const sought = search.trim().toLowerCase();
  const shown = sources.filter(
    (source) =>
      WHICH[which].has(source) && `${source.name} ${source.url}`.toLowerCase().includes(sought),
  );
  return (
    <>
      <div class="tools">
        <h1 class="unseen">Sources</h1>
        <Seg<Which>
          label="Which"
          value={which}
          onChange={setWhich}
          options={(Object.keys(WHICH) as Which[]).map((value) => ({
            value,
            label: WHICH[value].label,
            count: sources.filter(WHICH[value].has).length,
            mark: value === "dead" && <State status="dead" hidden />,
          }))}
        />
        <span class="gap" />
        <SearchField label="Search sources" value={search} isMain onSearch={setSearch} />
        <NewButton onAdd={onAdd} />
      </div>
      {shown.length > 0 ? (
        <SourceRows key={`${which} ${sought}`} sources={shown} />
      ) : (
        <Empty title="No matching sources" />
      )}
    </>
  );
}

function SourceRows({ sources }: { sources: Source[] }) {
  const { route } = useLocation();
  const open = (index: number) => {
    const source = sources[index];
    if (source) route(`/sources/${source.id}`);
  };
  const keys = useRowKeys(sources.length, open);
  return (
    <>
      <Rows<Source>
        class="src-rows"
        label="Sources"
        runs={[{ count: sources.length, height: useIsPhone() ? 64 : 44 }]}
        head={
          <Heads names={["Source", "State", "Dead", "Links"]} times={["Last run", "Next run"]} />
        }
        itemAt={(index) => sources[index]}
        {...keys}
        attributes={(source, index) => ({
          class: source.counts.dead > 0 ? "r-dead" : "",
          onClick: () => open(index),
        })}
      >
        {(source) => <Cells source={source} />}
      </Rows>
      <p class="listfoot">
        <span>{counted(sources.length, "source")}</span>
        <span>
          <kbd>Enter</kbd> shows its pages and runs.
        </span>
      </p>
    </>
  );
}

function Cells({ source }: { source: Source }) {
  const { id, name, kind, url, counts, run, next_run_at: next } = source;
  const { shape, text, bad } = stateOf(source, Date.now());
  const Icon = iconOf(kind);
  const address = url ? displayUrl(url) : null;
  return (
    <>
      <span role="cell" class="src-name">
        <Icon class="i" aria-hidden="true" />
        <a href={`/sources/${id}`} tabIndex={-1}>
          <b>{name}</b>
        </a>
        <span class="soft" title={url ?? undefined}>
          {address
            ? `${address.host}${address.path === "/" ? "" : address.path}`
            : KINDS[kind].name}
        </span>
      </span>
      <span role="cell" class={bad ? "src-state bad" : "src-state"}>
        <State status={shape} hidden />
        <span title={text}>{text}</span>
      </span>
      <span role="cell" class="src-dead">
        {counts.dead > 0 && (
          <a
            href={hrefOf("/links", { source_id: id, status: "dead" })}
            tabIndex={-1}
            onClick={(event) => event.stopPropagation()}
          >
            <b>{many(counts.dead)}</b>
            <span class="unseen"> dead links</span>
          </a>
        )}
      </span>
      <span role="cell">{many(counts.links)}</span>
      <span role="cell" class="c-t">
        {run?.ended_at ? <Moment at={run.ended_at} short /> : "–"}
      </span>
      <span role="cell" class="c-t">
        {isRunning(source) ? "now" : next ? <Moment at={next} short /> : "–"}
      </span>
    </>
  );
}
