import { Download } from "lucide-preact";
import { exportHref } from "../lib/filter.ts";
import { type LinkFilter, SORTS, type Sort } from "../lib/links.ts";

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
  /** How much of the page is picked; null for who may pick nothing. */
  picked: "none" | "some" | "all" | null;
  onPickPage: () => void;
  onSort: (sort: Sort) => void;
};

/** What is done to the list as a whole. */
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
