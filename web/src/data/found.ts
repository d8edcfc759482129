import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";

const AFTER_TYPING_MS = 120;

/** What the server finds for what is typed into a `Pick` over a list that grows. */
export function useFound<T extends { name: string }>(
  topic: QueryKey,
  find: (search: string) => Promise<T[]>,
  isWanted = true,
) {
  const [text, onSearch] = useState("");
  const typed = text.trim().toLowerCase();
  const search = useSettled(typed);
  const { data = [], error } = useQuery({
    queryKey: [...topic, "found", search],
    queryFn: () => find(search),
    placeholderData: keepPreviousData,
    enabled: isWanted,
  });
  // Enter must not choose what was found for an earlier text.
  const fits = ({ name }: T) => search === typed || name.toLowerCase().includes(typed);
  return { text: text.trim(), typed, found: data.filter(fits), problem: error, onSearch };
}

/** The value as soon as it has not changed for a moment. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), AFTER_TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
