import { Search } from "lucide-preact";
import { useEffect, useRef } from "preact/hooks";
import { hrefOfFilter } from "../lib/filter.ts";
import { type LinkFilter, STATUSES } from "../lib/links.ts";
import { ServiceSelect } from "./service-select.tsx";
import { statusWord } from "./status.tsx";

const TYPING_MS = 300;

type LinkFiltersProps = { filter: LinkFilter; onChange: (filter: LinkFilter) => void };

/** Chooses what the list shows. The statuses are links, so that each can be opened and kept. */
export function LinkFilters({ filter, onChange }: LinkFiltersProps) {
  return (
    <div class="filters">
      <nav class="chips" aria-label="Filter by status">
        {[undefined, ...STATUSES].map((status) => (
          <a
            key={status ?? "all"}
            href={hrefOfFilter({ ...filter, status, page: 1 })}
            aria-current={filter.status === status ? "true" : undefined}
          >
            {status ? statusWord(status) : "All"}
          </a>
        ))}
      </nav>
      <ServiceSelect
        chosen={filter.service}
        onChange={(service) => onChange({ ...filter, service, page: 1 })}
      />
      <SearchBox
        value={filter.search}
        onChange={(search) => onChange({ ...filter, search, page: 1 })}
      />
    </div>
  );
}

/** Searches once the typing pauses. */
function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const searchNow = () => {
    clearTimeout(timer.current);
    const wanted = field.current?.value.trim() ?? "";
    if (wanted !== value) onChange(wanted);
  };
  const searchSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(searchNow, TYPING_MS);
  };
  useEffect(() => {
    // The address may have changed by other means; what is being typed is left alone.
    if (field.current && field.current.value.trim() !== value) field.current.value = value;
    return () => clearTimeout(timer.current);
  }, [value]);
  return (
    <search>
      <Search aria-hidden="true" />
      <input
        ref={field}
        type="search"
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
