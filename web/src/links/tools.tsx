import { ArrowUpDown, Columns2, Download, ListFilter, Search, X } from "lucide-preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ErrorBoundary } from "preact-iso";
import type { LinkStatus } from "../../../server/ground/lib/vocabulary.ts";
import { cleared, exportHref, hrefOfFilter, hrefOfView, savedFilterOf } from "../data/filter.ts";
import { useGroupNamed } from "../data/groups.ts";
import { type Counts, type LinkFilter, useServicesByName } from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";
import { useSources } from "../data/sources.ts";
import { usePeople } from "../data/triage.ts";
import { OWN_VIEWS, saveView, useViews, VIEWS } from "../data/views.ts";
import { STATUS_WORDS } from "../data/words.ts";
import { Ask } from "../frame/ask.tsx";
import { lazyPage } from "../frame/missing.tsx";
import { Button, IconButton, Seg } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/field.tsx";
import { choices, Menu, Pick, type PickOption } from "../ui/menu.tsx";
import { State } from "../ui/state.tsx";
import { COLUMNS, type Column, SORT_WORDS, sinceDay, tokensOf } from "./words.ts";

/** Not part of the first view. */
const FilterOptions = lazyPage(() => import("./filter-options.tsx"));
const SinceDays = lazyPage(() => import("./since.tsx"));

type ToolsProps = {
  filter: LinkFilter;
  counts: Counts | undefined;
  columns: ReadonlySet<Column>;
  onColumn: (column: Column) => void;
  onChange: (filter: LinkFilter) => void;
  /** Like `onChange`, but without a new history entry, for typing. */
  onType: (filter: LinkFilter) => void;
};

/** Everything above the list. */
export function Tools(props: ToolsProps) {
  const { filter, counts, columns, onColumn, onChange, onType } = props;
  const off = useOff();
  const [isNear, setNear] = useState(false);
  const comesNear = () => setNear(true);
  return (
    <>
      <div class="tools" onPointerOver={comesNear} onFocusIn={comesNear}>
        <h1 class="unseen">Links</h1>
        <Statuses filter={filter} counts={counts} onChange={onChange} />
        <span class="gap" />
        <SearchBox value={filter.search} onChange={(search) => onType({ ...filter, search })} />
        <FilterPick filter={filter} onChange={onChange} isNear={isNear} />
        <Menu
          label="Sort"
          class="btn sort"
          icon={ArrowUpDown}
          button={<span class="tx">{SORT_WORDS[filter.sort]}</span>}
          items={choices(SORT_WORDS, filter.sort, (sort) => onChange({ ...filter, sort }))}
        />
        <Menu
          label="Columns"
          icon={Columns2}
          class="ib wide"
          items={COLUMNS.map(({ column, label }) => ({
            label,
            checked: columns.has(column),
            onSelect: () => onColumn(column),
          }))}
        />
        <Menu
          label="Export"
          icon={Download}
          class="ib wide"
          items={[{ label: "Export as CSV", href: exportHref(filter), download: true, off }]}
        />
      </div>
      <Tokens filter={filter} onChange={onChange} />
    </>
  );
}

const SHOWN = ["dead", "unknown", "active"] as const;

function Statuses({ filter, counts, onChange }: Pick2<"filter" | "counts" | "onChange">) {
  const options = [
    { value: "all" as const, label: "All", count: counts?.total ?? null },
    ...SHOWN.map((status) => ({
      value: status,
      label: STATUS_WORDS[status],
      count: counts?.[status] ?? null,
      mark: <State status={status} hidden />,
    })),
  ];
  return (
    <Seg<LinkStatus | "all">
      label="State"
      value={filter.status ?? "all"}
      options={options}
      onChange={(value) => onChange({ ...filter, status: value === "all" ? undefined : value })}
    />
  );
}

type Pick2<Name extends keyof ToolsProps> = { [Each in Name]: ToolsProps[Each] };

function Tokens({ filter, onChange }: Pick2<"filter" | "onChange">) {
  const groups = useGroupNamed(filter);
  const services = useServicesByName(filter.service !== "");
  const people = usePeople(filter.assignee.length > 4);
  const names = people.map(({ id, email }) => ({ id, name: email }));
  const { data: sources = [] } = useSources(filter.source !== "");
  const tokens = tokensOf(filter, groups, services, names, sources);
  if (tokens.length === 0) return null;
  return (
    <div class="tokens">
      {tokens.map(({ name, value, without }) => (
        <span key={name} class="token">
          <span class="clip">
            {name}: <b>{value}</b>
          </span>
          <IconButton
            icon={X}
            label={`Remove the filter: ${name}`}
            onClick={() => onChange({ ...filter, ...without })}
          />
        </span>
      ))}
      {tokens.length > 1 && (
        <button type="button" class="btn quiet" onClick={() => onChange(cleared(filter))}>
          Clear all
        </button>
      )}
      <SaveView filter={filter} />
    </div>
  );
}

/** Keeps the filter as a view, unless it is one. */
function SaveView({ filter }: { filter: LinkFilter }) {
  const [isAsking, setAsking] = useState(false);
  const views = useViews();
  const canWrite = useCanWrite();
  const off = useOff();
  const href = hrefOfFilter(filter);
  const isKnown = [...OWN_VIEWS.map((view) => view.href), ...views.map(hrefOfView)].includes(href);
  if (!canWrite || isKnown) return null;
  const send = (form: FormData) =>
    saveView({
      name: String(form.get("name")),
      filter: savedFilterOf(filter),
      sort: filter.sort,
      is_shared: form.has("is_shared"),
    });
  return (
    <>
      <Button quiet off={off} onClick={() => setAsking(true)}>
        Save view
      </Button>
      {isAsking && (
        <Ask
          title="Save view"
          action="Save"
          said="The view was saved."
          renews={[VIEWS]}
          send={send}
          onClose={() => setAsking(false)}
        >
          <TextField label="Name" name="name" data-first required maxLength={100} />
          <CheckField label="For everyone in the account" name="is_shared" />
        </Ask>
      )}
    </>
  );
}

/** The value names the part of the filter as well: "group:…". */
function FilterPick({
  filter,
  onChange,
  isNear,
}: Pick2<"filter" | "onChange"> & { isNear: boolean }) {
  const [typed, setTyped] = useState("");
  const [options, setOptions] = useState<PickOption<string>[]>([]);
  const [isAsking, setAsking] = useState(false);
  const pick = (chosen: string) => {
    const [part = "", ...rest] = chosen.split(":");
    const value = rest.join(":");
    if (part === "days") setAsking(true);
    else if (part === "since") onChange(sinceDay(filter, value));
    else onChange({ ...filter, [part]: value === "true" ? true : value });
  };
  return (
    <>
      <Pick
        label="Add a filter"
        class="btn filter"
        value={null}
        icon={ListFilter}
        button={
          <>
            <span class="tx">Filter</span>
            <kbd aria-hidden="true">F</kbd>
          </>
        }
        options={options}
        onSearch={setTyped}
        onPick={pick}
      />
      {isNear && (
        <ErrorBoundary>
          <FilterOptions status={filter.status} typed={typed} onChange={setOptions} />
        </ErrorBoundary>
      )}
      {isAsking && (
        <ErrorBoundary>
          <SinceDays filter={filter} onChange={onChange} onClose={() => setAsking(false)} />
        </ErrorBoundary>
      )}
    </>
  );
}

const TYPING_MS = 300;

/** Searches when the user pauses typing. */
function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  /** The last search: when it comes back as `value`, newer text in the field must stay. */
  const searched = useRef(value);
  const searchNow = () => {
    clearTimeout(timer.current);
    const wanted = field.current?.value.trim() ?? "";
    if (wanted === latest.current.value) return;
    searched.current = wanted;
    latest.current.onChange(wanted);
  };
  const searchSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(searchNow, TYPING_MS);
  };
  // Before painting, so that text typed into the visible field is kept.
  useLayoutEffect(() => {
    if (value === searched.current) return;
    // The address changed in another way.
    searched.current = value;
    clearTimeout(timer.current);
    if (field.current) field.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <label class={value ? "search filled" : "search"}>
      <Search class="i" aria-hidden="true" />
      <input
        ref={field}
        type="search"
        data-search
        aria-label="Search links"
        placeholder="Search"
        maxLength={255}
        defaultValue={value}
        onInput={searchSoon}
        onKeyDown={(event) => {
          if (event.key === "Enter") searchNow();
          if (event.key === "Escape") field.current?.blur();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
