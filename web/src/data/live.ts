import { type Query, useQueryClient } from "@tanstack/preact-query";
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { withBase } from "./base.ts";
import { OVERVIEW } from "./counts.ts";
import { applyStates, type LinkState, refreshRows } from "./link-rows.ts";
import { SESSION } from "./session.ts";

const ADDRESS = withBase("/dashboard/api/live");
/** Pause between two refetches of the same query. */
const PAUSE_MS = 1_000;
/** The server gives figures that take long to count for up to 10 seconds, in which the last change may be missing. */
const COUNTED_AGAIN_MS = 12_000;
/** Pause before the first retry of a refused connection. */
const RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;
/** A shorter interruption is not shown. */
const SILENT_MS = 5_000;

/** `states` are those of the `links` that were checked; null if they are too many, or something else happened. */
type Change = { topics: string[]; links: string[] | null; states: LinkState[] | null };

/** Stands for the rows of links on the screen, which are patched and not refetched. */
const ROWS = "rows of links";

/**
 * Refetches queries when the server reports changes. A change names topics, which are the first words of query
 * keys. There is one connection per tab, and none while the tab is hidden, since browsers allow only six per host.
 * @param since the state of the account before the first request; later changes are sent first
 * @returns whether the connection has been down for a while, so that the data may be outdated
 */
export function useLive(since: string | null): boolean {
  const client = useQueryClient();
  const [isDown, setDown] = useState(false);
  useEffect(() => {
    const refetch = createRefetcher((queryKey) => {
      if (queryKey[0] === ROWS) void refreshRows(client);
      else void client.invalidateQueries({ queryKey }, { cancelRefetch: false });
    });
    const connection = openConnection({
      since: since ?? "",
      onChange: (change) => {
        if (change.states) applyStates(client, change.states);
        refetch(change);
      },
      onDown: setDown,
      // A refused connection may mean that the session has ended.
      onRefused: () => void client.invalidateQueries({ queryKey: SESSION }),
      onBack: () => {
        // The session may belong to another user now. No change is reported for requests that failed meanwhile.
        void client.invalidateQueries({ queryKey: SESSION });
        void client.invalidateQueries({ predicate: hasFailed });
      },
    });
    return connection.close;
  }, [client]);
  return isDown;
}

const DownContext = createContext(false);

export const DownProvider = DownContext.Provider;

/** Whether the connection to the server is lost. */
export const useIsDown = () => useContext(DownContext);

/** Why nothing can be changed now, as the title of a disabled button; undefined while it can. */
export const useOff = () => (useIsDown() ? "Offline" : undefined);

export const hasFailed = ({ state }: Query) => state.error !== null;

/** Collects changes, so that a thousand checks per second cause one refetch per second. */
function createRefetcher(refetch: (queryKey: string[]) => void) {
  let wanted = new Map<string, string[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    if (wanted.size === 0) return;
    clearTimeout(last);
    last = setTimeout(() => refetch(OVERVIEW.queryKey), COUNTED_AGAIN_MS);
    for (const queryKey of wanted.values()) refetch(queryKey);
    wanted = new Map();
    timer = setTimeout(flush, PAUSE_MS);
  };
  return ({ topics, links }: Change) => {
    for (const queryKey of keysOf(topics, links)) wanted.set(queryKey.join(" "), queryKey);
    if (timer === undefined) flush();
  };
}

/** Refetches only the changed links, if they are known. */
function keysOf(topics: string[], links: string[] | null): string[][] {
  const topic = "links";
  const isOfLinks = topics.includes(topic) && links !== null;
  if (!isOfLinks)
    return [...topics, ...(topics.includes(topic) ? [ROWS] : [])].map((name) => [name]);
  const others = topics.filter((name) => name !== topic).map((name) => [name]);
  return [...others, [topic, "list"], ...links.map((id) => [topic, "one", id])];
}

type ConnectionProps = {
  since: string;
  onChange: (change: Change) => void;
  onDown: (isDown: boolean) => void;
  onRefused: () => void;
  /** The connection is up again. */
  onBack: () => void;
};

function openConnection({ since, onChange, onDown, onRefused, onBack }: ConnectionProps) {
  let source: EventSource | undefined;
  let known = since;
  let wasDown = false;
  let retryMs = RETRY_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const isUp = () => {
    endSilence();
    retryMs = RETRY_MS;
    onDown(false);
    if (wasDown) onBack();
    wasDown = false;
  };
  /** Hidden tabs do not count as interrupted. */
  const endSilence = () => {
    clearTimeout(silence);
    silence = undefined;
  };
  const isBroken = () => {
    wasDown = true;
    silence ??= setTimeout(() => onDown(true), navigator.onLine ? SILENT_MS : 0);
    // The browser reconnects automatically unless the server refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    onRefused();
    retry = setTimeout(open, retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  };
  const receive = ({ data, lastEventId }: MessageEvent<string>) => {
    known = lastEventId;
    onChange(JSON.parse(data));
  };
  function open() {
    stop();
    if (document.hidden) return;
    source = new EventSource(known ? `${ADDRESS}?since=${known}` : ADDRESS);
    source.onopen = isUp;
    source.onerror = isBroken;
    source.addEventListener("change", receive);
  }
  function stop() {
    clearTimeout(retry);
    source?.close();
  }
  const onVisibility = () => {
    endSilence();
    wasDown = true;
    if (document.hidden) stop();
    else open();
  };
  document.addEventListener("visibilitychange", onVisibility);
  // The browser may be wrong: a server on the same machine can still be reached.
  addEventListener("offline", open);
  addEventListener("online", open);
  open();
  const close = () => {
    document.removeEventListener("visibilitychange", onVisibility);
    removeEventListener("offline", open);
    removeEventListener("online", open);
    endSilence();
    stop();
  };
  return { close };
}
