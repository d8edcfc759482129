import { LRUCache } from "lru-cache";
import type { KnownLink } from "../../judge/confirm.ts";
import { type Conclusion, sawNothing } from "../../judge/probe/conclusion.ts";

/** Why a process ended. `at` is the number of the check that ran then; 0 if none did, or it is not known. */
export type Ended = { kind: "silent" | "memory" | "crashed" | "killed" | "stopped"; at: number };

/** Bytes read of a page that has ended a process once, and more often. */
const SMALL = 64 * 1024;
const SMALLEST = 4 * 1024;
const LINKS_KEPT = 10_000;
const AGAIN_AFTER_MS = 15 * 60_000;

/** `page` is the version of the page that was read last; null before that. */
type Blamed = { times: number; isReadSmall: boolean; page: string | null };

/**
 * Limits how much is read of pages that have ended the process that read them: after the first time once, after the
 * second until the page changes.
 */
export function createCaps() {
  const blamed = new LRUCache<string, Blamed>({ max: LINKS_KEPT });
  const keyOf = ({ id, url }: KnownLink) => id ?? url;

  return {
    /** Returns the most bytes to read; null for no limit. @param isLight memory has just run out */
    of(link: KnownLink, isLight: boolean): number | null {
      const known = blamed.get(keyOf(link));
      if (known && known.times > 1) return SMALLEST;
      return isLight || known?.isReadSmall === false ? SMALL : null;
    },
    /** Notes a finished check. */
    learn(link: KnownLink, { page, ...conclusion }: Conclusion): Conclusion {
      const known = blamed.get(keyOf(link));
      if (known && page !== undefined) {
        if (known.times > 1 && known.page !== null && known.page !== page) {
          blamed.delete(keyOf(link));
        } else Object.assign(known, { isReadSmall: true, page });
      }
      return conclusion;
    },
    /** Notes that the page has ended a process, and concludes its check. */
    blame(link: KnownLink, { kind }: Ended): Conclusion {
      const times = (blamed.get(keyOf(link))?.times ?? 0) + 1;
      blamed.set(keyOf(link), { times, isReadSmall: false, page: null });
      const next = times > 1 ? `${SMALLEST / 1024} KiB, until it changes` : `${SMALL / 1024} KiB`;
      const notes = [
        `${WHY[kind as keyof typeof WHY]} The next check reads only its first ${next}.`,
      ];
      const ended = { endedProcess: true as const, followUpMs: AGAIN_AFTER_MS };
      return { ...sawNothing("internal_error", { notes }), ...ended };
    },
  };
}

const WHY = {
  silent: "Reading this page took longer than five seconds, so Stillup stopped.",
  memory: "Reading this page took too much memory, so Stillup stopped.",
  crashed: "Reading this page ended the process that read it.",
} as const;
