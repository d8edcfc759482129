import { cleared, hrefOfFilter, isNarrowed } from "../lib/filter.ts";
import { useGroups } from "../lib/groups.ts";
import {
  FREQUENCIES,
  type Frequency,
  type LinkFilter,
  NO_GROUP,
  STATUSES,
  type Status,
} from "../lib/links.ts";
import { useServicesByName } from "../lib/services.ts";
import { Facet } from "./facet.tsx";
import { frequencyWord } from "./frequency-select.tsx";
import { SearchBox } from "./search-box.tsx";
import { StatusShape, statusWord } from "./status.tsx";

type LinkFiltersProps = {
  filter: LinkFilter;
  /** Of each status, among the links that fit otherwise; undefined until it is known. */
  counts: Record<Status, number> | undefined;
  onChange: (filter: LinkFilter) => void;
  /** As `onChange`, while somebody types: no step to go back to. */
  onType: (filter: LinkFilter) => void;
};

/** Chooses what the list shows. */
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

/** The statuses are links, so that each can be opened and kept. */
const StatusChips = ({ filter, counts }: Pick<LinkFiltersProps, "filter" | "counts">) => (
  <nav class="chips" aria-label="Filter by status">
    {[undefined, ...STATUSES].map((status) => (
      <a
        key={status ?? "all"}
        href={hrefOfFilter({ ...filter, status, page: 1 })}
        aria-current={filter.status === status ? "true" : undefined}
      >
        {status && <StatusShape of={status} />}
        {status ? statusWord(status) : "All"}{" "}
        <span class="count">{counts && countOf(counts, status).toLocaleString("en")}</span>
      </a>
    ))}
  </nav>
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
