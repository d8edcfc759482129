import { type QueryClient, useQueryClient } from "@tanstack/preact-query";
import { useEffect } from "preact/hooks";
import { withoutBase } from "./base.ts";
import { readFilter } from "./filter.ts";
import { readRowsAhead } from "./link-rows.ts";
import { linkOptions } from "./links.ts";

/** A pointer that only passes rests for less. */
const RESTS_MS = 80;
const FRESH_MS = 10_000;

/** Reads what the page of a link needs when the pointer rests on the link or it gets the focus. */
export function useReadAhead() {
  const client = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: HTMLAnchorElement | null = null;
    const look = ({ target }: Event) => {
      const link = (target as Element).closest<HTMLAnchorElement>("a[href]");
      if (link === last) return;
      last = link;
      clearTimeout(timer);
      if (link?.origin === location.origin) timer = setTimeout(read, RESTS_MS, client, link);
    };
    document.addEventListener("pointerover", look);
    document.addEventListener("focusin", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", look);
      document.removeEventListener("focusin", look);
    };
  }, [client]);
}

type Read = (client: QueryClient, query: Record<string, string>) => void;

/** By path; pages add theirs when their file is loaded. */
const READS: Record<string, Read> = {
  "/links": (client, query) => readRowsAhead(client, readFilter(query)),
};

/** Sets what is read for the page of a path, with the query of the link to it. */
export function onReadAhead(path: string, read: Read) {
  READS[path] = read;
}

function read(client: QueryClient, link: HTMLAnchorElement) {
  const { search } = link;
  const pathname = withoutBase(link.pathname);
  const id = /^\/links\/([^/]+)$/.exec(pathname)?.[1];
  if (id) void client.prefetchQuery({ ...linkOptions(id), staleTime: FRESH_MS });
  else if (link.pathname !== location.pathname)
    READS[pathname]?.(client, Object.fromEntries(new URLSearchParams(search)));
}
