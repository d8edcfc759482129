import { useQueries, useQueryClient } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { hrefOfFilter } from "./filter.ts";
import { pageOptions } from "./link-rows.ts";
import { type LinkFilter, PER_PAGE } from "./links.ts";

/** Where in a list a link was opened, and how far the list was scrolled. */
type ListPlace = {
  filter: LinkFilter;
  index: number;
  id: string;
  total: number;
  scroll: { index: number; offset: number };
  /** Whether the page of the link was opened, from where a link leads back. */
  isLeft?: boolean;
};

const KEPT = "stillup.place";

/** Remembers the list that a link is opened from, also over a reload. */
export const rememberPlace = (place: ListPlace) =>
  sessionStorage.setItem(KEPT, JSON.stringify(place));

export function lastPlace(): ListPlace | null {
  const kept = sessionStorage.getItem(KEPT);
  return kept ? JSON.parse(kept) : null;
}

/** Where the link is in the list that it was opened from; null if it was opened from elsewhere. */
export function useListPlace(id: string) {
  const { route } = useLocation();
  const client = useQueryClient();
  const kept = lastPlace();
  const place = kept?.id === id ? kept : null;
  useEffect(() => {
    const opened = lastPlace();
    if (opened?.id === id) rememberPlace({ ...opened, isLeft: true });
  }, [id]);
  const around = place ? [place.index - 1, place.index + 1].filter((n) => n >= 0) : [];
  useQueries({ queries: around.map((index) => pageOptions(place!.filter, pageAt(index))) });
  if (!place) return null;
  const step = (index: number) => {
    const key = pageOptions(place.filter, pageAt(index)).queryKey;
    const link = index >= 0 ? client.getQueryData(key)?.items[index % PER_PAGE] : undefined;
    if (!link) return undefined;
    return () => {
      rememberPlace({ ...place, index, id: link.id, scroll: { index, offset: 0 } });
      route(`/links/${link.id}`, true);
    };
  };
  return {
    /** The list, as it was. */
    href: hrefOfFilter(place.filter),
    filter: place.filter,
    text: `${(place.index + 1).toLocaleString("en")} of ${place.total.toLocaleString("en")}`,
    onPrevious: step(place.index - 1),
    onNext: step(place.index + 1),
  };
}

const pageAt = (index: number) => Math.floor(index / PER_PAGE) + 1;
