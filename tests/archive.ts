import { findCopy } from "../server/repair/archive/find-copy.ts";
import type { Wanted } from "../server/repair/archive/model.ts";
import type { Asker, TestServer } from "./harness.ts";
import { type Site, startSite } from "./site.ts";

/** What an archive has of a page. */
export type Kept = {
  url: string;
  /** ISO 8601. */
  at: string;
  body?: string;
  type?: string;
  /** Equal for equal content; made from the body if left out. */
  digest?: string;
  /** In place of the page itself. */
  says?: (request: Request) => Response | Promise<Response>;
};

/** An archive as `web.archive.org` is, which a test makes lie, stall or refuse. */
export type PlayedArchive = Site & {
  kept: Kept[];
  /** In place of an honest index. */
  index: ((request: Request) => Response | Promise<Response>) | null;
  /** Before everything else; undefined leaves it to the others. */
  first: ((request: Request) => Response | undefined) | null;
  save: ((request: Request) => Response | Promise<Response>) | null;
  forget(): void;
  /** Paths and queries of what was asked, oldest first. */
  asked(): string[];
};

export const stampOf = (at: string) => new Date(at).toISOString().replace(/\D/g, "").slice(0, 14);

/** A capture without its `Memento-Datetime` is a page of the archive itself. */
export const captured = (
  body: string | Uint8Array | ReadableStream,
  at: string,
  type = "text/html",
  headers: Record<string, string> = {},
) =>
  new Response(body as string, {
    headers: {
      "content-type": type,
      "memento-datetime": new Date(at).toUTCString(),
      "x-archive-orig-content-type": type,
      ...headers,
    },
  });

export function startArchive(): PlayedArchive {
  const site = startSite({}, { otherwise: (request) => answer(request) });
  const archive: PlayedArchive = Object.assign(site, {
    kept: [] as Kept[],
    index: null,
    first: null,
    save: null,
    forget() {
      Object.assign(archive, { kept: [], index: null, first: null, save: null });
      archive.requests.length = 0;
    },
    asked: () => archive.requests.map(({ url }) => url.slice(new URL(url).origin.length)),
  });

  function answer(request: Request): Response | Promise<Response> {
    const before = archive.first?.(request);
    if (before) return before;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/cdx/search/cdx") {
      return archive.index?.(request) ?? Response.json(rowsFor(searchParams));
    }
    if (pathname.startsWith("/save")) {
      return archive.save?.(request) ?? new Response(null, { status: 401 });
    }
    const [, stamp, original] = /\/web\/(\d{14})id_\/(.*)$/.exec(request.url) ?? [];
    const found = archive.kept.find(({ url, at }) => url === original && stampOf(at) === stamp);
    if (!found) return new Response("Not in this archive.", { status: 404 });
    return found.says?.(request) ?? captured(found.body ?? "", found.at, found.type);
  }

  function rowsFor(query: URLSearchParams): string[][] {
    const limit = Number(query.get("limit"));
    const [from, to] = [query.get("from") ?? "0", query.get("to") ?? "9"];
    const bare = (url: string) => url.replace(/^https?:\/\/(www\.)?/, "");
    const rows = archive.kept
      .filter(({ url }) => bare(url) === bare(query.get("url") ?? ""))
      .map(({ url, at, type = "text/html", body = "", digest }) => [
        stampOf(at),
        url,
        type,
        "200",
        digest ?? Bun.hash(body + at).toString(36),
        String(body.length),
      ])
      .filter(([stamp = ""]) => stamp >= from && stamp <= to)
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
    if (rows.length === 0) return [];
    const shown = limit < 0 ? rows.slice(limit) : rows.slice(0, limit);
    return [["timestamp", "original", "mimetype", "statuscode", "digest", "length"], ...shown];
  }

  return archive;
}

/** Looks for a copy of a page that was alive until a day before now, as the loop of lookups does. */
export const look = (
  { deps, clock }: TestServer,
  me: Asker,
  wanted: Partial<Wanted> & { url: string },
) =>
  findCopy(deps, {
    accountNo: me.accountNo,
    lastActiveAt: clock.now() - 86_400_000,
    finalUrl: null,
    memory: null,
    firstSeenAt: null,
    hasChanged: false,
    isByHand: false,
    ...wanted,
  });
