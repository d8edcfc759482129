import { ArrowUpDown, Columns2, Download, ListFilter, Search, X } from "lucide-preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { cleared, exportHref } from "../data/filter.ts";
import { useGroups } from "../data/groups.ts";
import type { Counts } from "../data/link-rows.ts";
import {
  FREQUENCIES,
  type LinkFilter,
  NO_GROUP,
  SORTS,
  type Status,
  searchSites,
  useServicesByName,
} from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { FREQUENCY_WORDS, STATUS_WORDS } from "../data/words.ts";
import { IconButton, Seg } from "../ui/button.tsx";
import { Menu, Pick, type PickOption } from "../ui/menu.tsx";
import { State } from "../ui/state.tsx";
import { COLUMNS, type Column, REASONS, SORT_WORDS, tokensOf } from "./words.ts";

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
  return (
    <>
      <div class="tools">
        <h1 class="unseen">Links</h1>
        <Statuses filter={filter} counts={counts} onChange={onChange} />
        <span class="gap" />
        <SearchBox value={filter.search} onChange={(search) => onType({ ...filter, search })} />
        <FilterPick filter={filter} onChange={onChange} />
        <Menu
          label="Sort"
          class="btn sort"
          icon={ArrowUpDown}
          button={<span class="tx">{SORT_WORDS[filter.sort]}</span>}
          items={SORTS.map((sort) => ({
            label: SORT_WORDS[sort],
            checked: sort === filter.sort,
            onSelect: () => onChange({ ...filter, sort }),
          }))}
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
  const all = counts && counts.active + counts.dead + counts.unknown + counts.checking;
  const options = [
    { value: "all" as const, label: "All", count: all ?? null },
    ...SHOWN.map((status) => ({
      value: status,
      label: STATUS_WORDS[status],
      count: counts?.[status] ?? null,
      mark: <State status={status} hidden />,
    })),
  ];
  return (
    <Seg<Status | "all">
      label="State"
      value={filter.status ?? "all"}
      options={options}
      onChange={(value) => onChange({ ...filter, status: value === "all" ? undefined : value })}
    />
  );
}

type Pick2<Name extends keyof ToolsProps> = { [Each in Name]: ToolsProps[Each] };

function Tokens({ filter, onChange }: Pick2<"filter" | "onChange">) {
  const { data: groups = [] } = useGroups();
  const services = useServicesByName();
  const tokens = tokensOf(filter, groups, services);
  if (tokens.length === 0) return null;
  return (
    <div class="tokens">
      {tokens.map(({ name, value, without }) => (
        <span key={name} class="token">
          <span>
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
    </div>
  );
}

/** The value names the part of the filter as well: "group:…". */
function FilterPick({ filter, onChange }: Pick2<"filter" | "onChange">) {
  const [text, setText] = useState("");
  const options = useOptions(text.trim().toLowerCase());
  const pick = (value: string) => {
    const [part = "", ...rest] = value.split(":");
    onChange({ ...filter, [part]: rest.join(":") });
  };
  return (
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
      onSearch={setText}
      onPick={pick}
    />
  );
}

/** Shown before anything is typed, of each part. */
const MOST_SHOWN = 6;

function useOptions(text: string): PickOption<string>[] {
  const { data: groups = [] } = useGroups();
  const services = useServicesByName();
  const sites = useSites(text);
  const option = (part: string, hint: string) => (value: string, label: string) => ({
    ...{ value: `${part}:${value}`, label, hint },
  });
  const group = option("group", "Group");
  const parts: PickOption<string>[][] = [
    [option("status", "Status")("checking", STATUS_WORDS.checking)],
    sites.map((site) => option("site", "Site")(site, site)),
    [...groups.map(({ id, name }) => group(id, name)), group(NO_GROUP, "No group")],
    REASONS.map(({ reason, label }) => option("reason", "Reason")(reason, label)),
    FREQUENCIES.map((each) => option("frequency", "Checked")(each, FREQUENCY_WORDS[each])),
    services.map(({ id, name }) => option("service", "Service")(id, name)),
  ];
  return parts.flatMap((part) => {
    const found = part.filter(
      ({ value, label, hint }) =>
        value.startsWith("site:") || `${hint} ${label}`.toLowerCase().includes(text),
    );
    return text ? found : found.slice(0, MOST_SHOWN);
  });
}

const SITES_AFTER_MS = 150;

/** Sites whose name contains what is typed. */
function useSites(text: string): string[] {
  const [sites, setSites] = useState<string[]>([]);
  useEffect(() => {
    if (text.length < 2) return setSites([]);
    const timer = setTimeout(
      () => searchSites(text).then(setSites, () => setSites([])),
      SITES_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [text]);
  return sites;
}

const TYPING_MS = 300;

type SearchBoxProps = { value: string; onChange: (value: string) => void };

/** Searches when the user pauses typing. */
function SearchBox({ value, onChange }: SearchBoxProps) {
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
