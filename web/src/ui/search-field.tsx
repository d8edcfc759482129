import { Search } from "lucide-preact";

type SearchFieldProps = {
  label: string;
  value: string;
  /** The key "/" leads to it. */
  isMain?: boolean;
  onSearch: (text: string) => void;
};

/** Narrows the list below it while one types. */
export const SearchField = ({ label, value, isMain, onSearch }: SearchFieldProps) => (
  <label class={value ? "search filled" : "search"}>
    <Search class="i" aria-hidden="true" />
    <input
      type="search"
      placeholder="Search"
      aria-label={label}
      value={value}
      data-search={isMain}
      onInput={({ currentTarget }) => onSearch(currentTarget.value)}
    />
    {isMain && <kbd aria-hidden="true">/</kbd>}
  </label>
);
