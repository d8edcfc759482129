import { type QueryClient, useQueryClient } from "@tanstack/preact-query";
import type { Frequency } from "../../../server/ground/lib/vocabulary.ts";
import type { Format } from "../../../server/read/lists/formats.ts";
import {
  ADDING,
  type Given,
  IMPORTS,
  type Import,
  importQuery,
  isLive,
  store,
  useGiven,
  useImport,
} from "../data/adding.ts";
import { api, asSent, complete, unwrap, upload } from "../data/api.ts";
import { GROUPS } from "../data/groups.ts";
import { LINKS } from "../data/links.ts";
import { useUser } from "../data/session.ts";
import { dropDraft, type Source } from "./source.ts";

/** Options for every link, unless the list says otherwise. */
export type Choices = {
  /** Empty for none. */
  groupId: string;
  /** Name of a group to create; null for none. */
  newGroup: string | null;
  frequency: Frequency;
};

export const USUAL: Choices = { groupId: "", newGroup: null, frequency: "daily" };

export const MOST_NEW_GROUPS = 100;

/** A list on its way to the server. `source` is missing after a reload. */
type Sent = Given & {
  source?: Source;
  /** Whether to use the groups named in the list; undefined for what is usual for its format. */
  usesNamed?: boolean;
  /** Set when Add is pressed before the server has the list: it is added as soon as that is done. */
  wanted?: Choices | null;
};

/** A list with what the server says of it. */
export type Job = Sent & { import: Import | null };

/** The list that this tab is working on, and what can be done with it. */
export function useJob() {
  const client = useQueryClient();
  const { email: owner } = useUser();
  const sent = useGiven<Sent>();
  const read = useImport();
  const job: Job | null = sent && { ...sent, import: read };
  const show = (change: Partial<Sent>) => change && showIn(client, change);
  const run = (task: () => Promise<void>) => inBackground(client, task);
  const change = (task: (id: string) => Promise<Import>) =>
    run(async () => {
      if (!job?.importId) return;
      show({ problem: null });
      keep(client, await task(job.importId));
    });
  return {
    job,
    /** @param wanted adds everything new once the server has it */
    begin(source: Source, format?: Format, wanted: Choices | null = null) {
      drop(job);
      const next: Sent = { owner, source, importId: null, problem: null, wanted };
      client.setQueryData(ADDING, next);
      void run(() => send(client, next, format));
    },
    useNamed: (usesNamed: boolean) => show({ usesNamed }),
    add(choices: Choices) {
      if (!job?.importId) return show({ wanted: choices, problem: null });
      void run(() => start(client, job, choices));
    },
    goOn: () => void change((id) => unwrap(api.imports({ id }).start.post({}))),
    stop: () => void change((id) => unwrap(api.imports({ id }).stop.post())),
    undo: () => void change((id) => unwrap(api.imports({ id }).undo.post())),
    forget() {
      drop(job);
      store(null);
      client.setQueryData(ADDING, null);
    },
  };
}

/** As a mutation, so that a 401 leads to the sign-in page. The failure is shown with the job. */
const inBackground = (client: QueryClient, task: () => Promise<void>) =>
  client
    .getMutationCache()
    .build(client, { mutationFn: task, networkMode: "always" as const })
    .execute(undefined)
    .catch((problem: Error) => showIn(client, { problem, wanted: null }));

const showIn = (client: QueryClient, change: Partial<Sent>) =>
  void client.setQueryData<Sent | null>(ADDING, (now) => now && { ...now, ...change });

const keep = (client: QueryClient, read: Import) => {
  client.setQueryData(importQuery(read.id).queryKey, read);
  for (const queryKey of [IMPORTS, LINKS, GROUPS, ["overview"], ["account"]])
    void client.invalidateQueries({ queryKey });
};

let sending = new AbortController();

async function send(client: QueryClient, next: Sent, format: Format | undefined): Promise<void> {
  sending.abort();
  sending = new AbortController();
  const { signal } = sending;
  const { name, text } = next.source!;
  const query = { ...(name !== null && { name }), ...(format && { format }) };
  const read = await upload<Import>("/imports", query, text, signal).catch((error) => {
    if (!signal.aborted) throw error;
    return null;
  });
  if (!read) return;
  client.setQueryData(importQuery(read.id).queryKey, read);
  const now = client.getQueryData<Sent>(ADDING);
  showIn(client, { importId: read.id });
  if (now?.wanted) await start(client, { ...now, importId: read.id, import: read }, now.wanted);
}

async function start(client: QueryClient, job: Job, choices: Choices): Promise<void> {
  showIn(client, { wanted: null, problem: null });
  const { importId, import: read, owner } = job;
  if (read?.status === "ready" && read.counts.new === 0) return;
  const { groupId, newGroup, frequency } = choices;
  const body = {
    group: (newGroup ?? groupId).trim() || null,
    check_frequency: frequency,
    use_groups: usesNamedIn(job),
  };
  const started = await unwrap(api.imports({ id: importId! }).start.post(asSent(body)));
  store({ owner, importId, problem: null });
  dropDraft();
  keep(client, started);
}

/** Bookmark folders are rarely meant as groups; names in a table are. */
export const usesNamedIn = ({ usesNamed, import: read }: Job): boolean =>
  (usesNamed ?? read?.format !== "bookmarks") &&
  (read?.groups.missing.length ?? 0) <= MOST_NEW_GROUPS;

/** Forgets a list that was not added, which the server would keep for a day. */
function drop(job: Job | null) {
  sending.abort();
  if (!job?.import || isLive(job.import)) return;
  void complete(api.imports({ id: job.import.id }).delete()).catch(() => {});
}
