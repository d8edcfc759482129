import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createDeps } from "../../app/build.ts";
import type { Config, Env } from "../../ground/config/config.ts";
import { migrateToHead, openEngine } from "../../ground/db/open.ts";
import { createStore } from "../../ground/db/store.ts";
import { systemClock } from "../../ground/lib/clock.ts";
import { failure } from "../../ground/lib/errors.ts";
import { anchorForms } from "../../judge/page/fragments.ts";
import { readHtml } from "../../read/documents/html.ts";
import { ask } from "../../repair/archive/client.ts";
import { findCopy } from "../../repair/archive/find-copy.ts";
import type { Found } from "../../repair/archive/model.ts";

/** Half of what a server takes, since this is another one's address for all that the archive knows. */
const PER_MINUTE = 10;

const PAGE_BYTES = 2 * 1024 * 1024;

/** An archive, of which this machine remembers between runs what it said, and when it is to be left alone. */
export type Archive = {
  /** What it learns, in a sentence. */
  notice(links: number): string;
  find(url: string, signal: AbortSignal): Promise<Found>;
  /** Asks for a copy once to find out whether it has a place. */
  hasPlace(copy: string, fragment: string, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
};

/** @throws if the memory cannot be opened */
export async function openArchive(config: Config, env: Env): Promise<Archive> {
  const folder = join(env.XDG_CACHE_HOME || join(env.HOME ?? ".", ".cache"), "stillup");
  const perMinute = Math.min(PER_MINUTE, config.archivePerMinute);
  const store = await openStore(folder);
  // Nothing in it is secret.
  const deps = createDeps(
    { ...config, archivePerMinute: perMinute },
    store,
    systemClock,
    new Uint8Array(32),
  );
  return {
    notice: (links) =>
      `Asking ${config.archiveUrl} for copies of ${links} dead links, ${perMinute} a minute. It learns their addresses.`,
    find: (url, signal) =>
      findCopy(deps, {
        accountNo: 0,
        url,
        // Nothing is known of it but that it is dead now.
        lastActiveAt: systemClock.now(),
        finalUrl: null,
        memory: null,
        firstSeenAt: null,
        hasChanged: false,
        isByHand: false,
        signal,
      }),
    async hasPlace(copy, fragment, signal) {
      const url = new URL(copy.replace(/(\/\d{14})\//, "$1id_/"));
      const request = { kind: "other", counted: "capture", bodyCap: PAGE_BYTES, signal } as const;
      const asked = await ask(deps, url, request);
      if (asked.state !== "done" || asked.value.state !== "answered") return false;
      const { anchors } = readHtml(asked.value.answer.body.toString(), { name: copy });
      return anchorForms(fragment).some((form) => anchors.includes(form));
    },
    close: () => store.engine.close(),
  };
}

async function openStore(folder: string) {
  try {
    mkdirSync(folder, { recursive: true });
    const engine = openEngine(`sqlite:${join(folder, "archive.db")}`);
    await migrateToHead(engine, systemClock.now());
    return createStore(engine);
  } catch (error) {
    throw failure("What is known of archived copies cannot be opened", error);
  }
}
