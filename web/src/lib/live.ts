import { type Query, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useState } from "preact/hooks";
import { LINKS } from "./links.ts";
import { SESSION } from "./session.ts";

const ADDRESS = "/dashboard/api/live";
/** Between two readings of the same, however often it changes. */
const REST_MS = 1_000;
/** A line that the server refused is tried again after this, and later after longer. */
const RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;
/** A line that is down for less is nothing to speak of. */
const SILENT_MS = 5_000;

type Change = { topics: string[]; links: string[] | null };

/**
 * Keeps what is on show up to date as things happen: each change names topics, which are the first word of
 * query keys. One line a tab, and none while the tab is hidden, since browsers give a site only six.
 * @param since the state of the account before anything was read: what has changed since is heard first
 * @returns whether the line has been down for a while, so that what is on show may be old
 */
export function useLive(since: string | null): boolean {
  const client = useQueryClient();
  const [isDown, setDown] = useState(false);
  useEffect(() => {
    const renew = createRenewal(
      (queryKey) => void client.invalidateQueries({ queryKey }, { cancelRefetch: false }),
    );
    const line = openLine({
      since: since ?? "",
      onChange: renew,
      onDown: setDown,
      // Whoever is refused may have no session any more.
      onRefused: () => void client.invalidateQueries({ queryKey: SESSION }),
      onBack: () => {
        // It may be another's by now, and what failed meanwhile is no change that anyone would tell of.
        void client.invalidateQueries({ queryKey: SESSION });
        void client.invalidateQueries({ predicate: hasFailed });
      },
    });
    return line.close;
  }, [client]);
  return isDown;
}

/** What could not be read when it was asked for last. */
export const hasFailed = ({ state }: Query) => state.error !== null;

/** Gathers changes, so that a thousand checks a second make one reading a second. */
function createRenewal(renew: (queryKey: string[]) => void) {
  let wanted = new Map<string, string[]>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    if (wanted.size === 0) return;
    for (const queryKey of wanted.values()) renew(queryKey);
    wanted = new Map();
    timer = setTimeout(flush, REST_MS);
  };
  return ({ topics, links }: Change) => {
    for (const queryKey of keysOf(topics, links)) wanted.set(queryKey.join(" "), queryKey);
    if (timer === undefined) flush();
  };
}

/** Of links only those that were checked are read again, unless it is not known which. */
function keysOf(topics: string[], links: string[] | null): string[][] {
  const [topic] = LINKS;
  const isOfLinks = topics.includes(topic!) && links !== null;
  if (!isOfLinks) return topics.map((name) => [name]);
  const others = topics.filter((name) => name !== topic).map((name) => [name]);
  return [...others, [topic!, "list"], ...links.map((id) => [topic!, "one", id])];
}

type LineProps = {
  since: string;
  onChange: (change: Change) => void;
  onDown: (isDown: boolean) => void;
  onRefused: () => void;
  /** The line is there again after it was not. */
  onBack: () => void;
};

function openLine({ since, onChange, onDown, onRefused, onBack }: LineProps) {
  let source: EventSource | undefined;
  let known = since;
  let wasAway = false;
  let retryMs = RETRY_MS;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const isUp = () => {
    calm();
    retryMs = RETRY_MS;
    onDown(false);
    if (wasAway) onBack();
    wasAway = false;
  };
  /** Silence counts while somebody looks. */
  const calm = () => {
    clearTimeout(silence);
    silence = undefined;
  };
  const isBroken = () => {
    wasAway = true;
    silence ??= setTimeout(() => onDown(true), SILENT_MS);
    // The browser comes back by itself, unless the server said no.
    if (source?.readyState !== EventSource.CLOSED) return;
    onRefused();
    retry = setTimeout(open, retryMs);
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
  };
  const hear = ({ data, lastEventId }: MessageEvent<string>) => {
    known = lastEventId;
    onChange(JSON.parse(data));
  };
  function open() {
    stop();
    if (document.hidden) return;
    source = new EventSource(known ? `${ADDRESS}?since=${known}` : ADDRESS);
    source.onopen = isUp;
    source.onerror = isBroken;
    source.addEventListener("change", hear);
  }
  function stop() {
    clearTimeout(retry);
    source?.close();
  }
  const follow = () => {
    calm();
    wasAway = true;
    if (document.hidden) stop();
    else open();
  };
  document.addEventListener("visibilitychange", follow);
  open();
  const close = () => {
    document.removeEventListener("visibilitychange", follow);
    calm();
    stop();
  };
  return { close };
}
