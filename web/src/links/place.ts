import { useQueryClient } from "@tanstack/preact-query";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { hrefOfFilter } from "../data/filter.ts";
import { forgetRows, type LinkRows } from "../data/link-rows.ts";
import type { LinkFilter } from "../data/links.ts";
import { lastPlace, rememberPlace } from "../data/list-place.ts";
import type { Place, RowsHandle } from "../ui/rows.tsx";

/** The row that was current, and how far the list was scrolled. */
type Kept = { current: number; scroll: Place };

/** Where this list was left, if the user comes back to it; otherwise it is read again. */
export function useReturn(filter: LinkFilter): Kept | null {
  const client = useQueryClient();
  const href = hrefOfFilter(filter);
  return useMemo(() => {
    const kept = (history.state as { rows?: Kept } | null)?.rows ?? keptByLink(href);
    if (!kept) forgetRows(client, filter);
    return kept;
  }, [href]);
}

/** The page of a link leads back to the list by a link as well. */
function keptByLink(href: string): Kept | null {
  const place = lastPlace();
  if (!place?.isLeft || hrefOfFilter(place.filter) !== href) return null;
  rememberPlace({ ...place, isLeft: false });
  return { current: place.index, scroll: place.scroll };
}

/** After the list was last moved: browsers limit notes, and one can take longer than a frame. */
const NOTE_MS = 300;

type Keeping = {
  list: LinkRows;
  current: number;
  kept: Kept | null;
  rows: RefObject<RowsHandle | null>;
};

/** Notes in the history where the list is, and brings it back there. @returns notes it now, and for the link's page */
export function usePlaceKept({ list, current, kept, rows }: Keeping) {
  const address = location.pathname + location.search;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const noteNow = () => {
    clearTimeout(timer.current);
    timer.current = undefined;
    // The user may have gone on meanwhile.
    if (address !== location.pathname + location.search || !rows.current) return;
    const scroll = rows.current.place();
    history.replaceState({ ...history.state, rows: { current, scroll } }, "");
  };
  const latest = useRef(noteNow);
  latest.current = noteNow;
  useEffect(() => {
    const note = () => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => latest.current(), NOTE_MS);
    };
    note();
    addEventListener("scroll", note, { passive: true });
    return () => {
      removeEventListener("scroll", note);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [current, address]);
  useReturnTo(kept, list.count !== undefined && !list.isOld, rows);
  return (index: number) => {
    latest.current();
    const link = list.at(index);
    if (!link || !rows.current) return;
    const { filter, count = 0 } = list;
    rememberPlace({ filter, index, id: link.id, total: count, scroll: rows.current.place() });
  };
}

function useReturnTo(kept: Kept | null, isThere: boolean, rows: RefObject<RowsHandle | null>) {
  const done = useRef<Kept | null>(null);
  useEffect(() => {
    if (!isThere || done.current === kept) return;
    done.current = kept;
    if (!kept) return;
    rows.current?.goTo(kept.scroll);
    // After the page as a whole got the focus.
    const frame = requestAnimationFrame(() => {
      rows.current?.goTo(kept.scroll);
      if (kept.current >= 0) rows.current?.focus(kept.current);
    });
    return () => cancelAnimationFrame(frame);
  }, [kept, isThere]);
}
