import { Search } from "lucide-preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const TYPING_MS = 300;

type SearchBoxProps = { value: string; onChange: (value: string) => void };

/** Searches once the typing pauses. */
export function SearchBox({ value, onChange }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  /** What was searched for last: its coming back is no reason to touch what is typed since. */
  const told = useRef(value);
  const searchNow = () => {
    clearTimeout(timer.current);
    const wanted = field.current?.value.trim() ?? "";
    if (wanted === latest.current.value) return;
    told.current = wanted;
    latest.current.onChange(wanted);
  };
  const searchSoon = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(searchNow, TYPING_MS);
  };
  // Before it is painted: what is typed into the field on show is kept.
  useLayoutEffect(() => {
    if (value === told.current) return;
    // The address has changed by other means.
    told.current = value;
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
