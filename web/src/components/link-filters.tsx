import { Search } from "lucide-preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { cleared, hrefOfFilter, isNarrowed } from "../lib/filter.ts";
import { useGroups } from "../lib/groups.ts";
import {
  FREQUENCIES,
  type Frequency,
  type LinkFilter,
  NO_GROUP,
  STATUSES,
  type Status,
  useServicesByName,
} from "../lib/links.ts";
import { Chips } from "./elements.tsx";
import { Facet } from "./filter-fields.tsx";
import { frequencyWord } from "./link-selects.tsx";
import { StatusShape, statusWord } from "./status.tsx";

type LinkFiltersProps = {
  filter: LinkFilter;
  /** Undefined until loaded. */
  counts: Record<Status, number> | undefined;
  onChange: (filter: LinkFilter) => void;
  /** Like `onChange`, but without a new history entry, for typing. */
  onType: (filter: LinkFilter) => void;
};

export const LinkFilters = ({ filter, counts, onChange, onType }: LinkFiltersProps) => (
  <div class="filters">
    <StatusChips filter={filter} counts={counts} />
    <SearchBox
      value={filter.search}
      onChange={(search) => onType({ ...filter, search, page: 1 })}
    />
    <Facets filter={filter} onChange={(change) => onChange({ ...filter, ...change, page: 1 })} />
  </div>
);

const StatusChips = ({ filter, counts }: Pick<LinkFiltersProps, "filter" | "counts">) => (
  <Chips
    label="Filter by status"
    chips={[undefined, ...STATUSES].map((status) => ({
      name: status ? statusWord(status) : "All",
      href: hrefOfFilter({ ...filter, status, page: 1 }),
      isOn: filter.status === status,
      icon: status && <StatusShape of={status} />,
      count: counts ? countOf(counts, status) : null,
    }))}
  />
);

const countOf = (counts: Record<Status, number>, status: Status | undefined) =>
  status ? counts[status] : Object.values(counts).reduce((sum, count) => sum + count, 0);

type FacetsProps = { filter: LinkFilter; onChange: (change: Partial<LinkFilter>) => void };

function Facets({ filter, onChange }: FacetsProps) {
  const services = useServicesByName().map(({ id, name }) => ({ value: id, name }));
  const { data: groups = [] } = useGroups();
  const places = groups.map(({ id, name }) => ({ value: id, name }));
  return (
    <div class="facets">
      <Facet
        label="Service"
        any="Any service"
        chosen={filter.service}
        choices={services}
        onChange={(service) => onChange({ service })}
      />
      <Facet
        label="Group"
        any="Any group"
        chosen={filter.group}
        choices={[{ value: NO_GROUP, name: "No group" }, ...places]}
        onChange={(group) => onChange({ group })}
      />
      <Facet
        label="Check frequency"
        any="Any frequency"
        chosen={filter.frequency ?? ""}
        choices={FREQUENCIES.map((value) => ({ value, name: frequencyWord(value) }))}
        onChange={(value) => onChange({ frequency: frequencyOf(value) })}
      />
      {isNarrowed(filter) && (
        <a class="button plain" href={hrefOfFilter(cleared(filter))}>
          Clear all
        </a>
      )}
    </div>
  );
}

const frequencyOf = (value: string): Frequency | undefined =>
  FREQUENCIES.find((frequency) => frequency === value);

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
    <search>
      <Search aria-hidden="true" />
      <input
        ref={field}
        type="search"
        data-search
        aria-label="Search in URLs"
        placeholder="Search in URLs"
        maxLength={255}
        defaultValue={value}
        onInput={searchSoon}
        onKeyDown={(event) => event.key === "Enter" && searchNow()}
      />
    </search>
  );
}
