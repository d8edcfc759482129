import { type QueryClient, QueryObserver, useQueryClient } from "@tanstack/preact-query";
import { type Format, recognise } from "../../../server/imports/formats.ts";
import { ADDING, type Adding, useAdding } from "../data/adding.ts";
import { newKey } from "../data/api.ts";
import { ALL_GROUPS, GROUPS } from "../data/groups.ts";
import { LINKS } from "../data/links.ts";
import { useUser } from "../data/session.ts";
import {
  createLedger,
  createPace,
  type Ledger,
  type Pace,
  readVerdicts,
  tallyOf,
} from "./ledger.ts";
import {
  addAll,
  type Choices,
  judgeAll,
  MOST_NEW_GROUPS,
  makeGroups,
  namedGroups,
  type Plan,
  removeAdded,
  removeCreated,
} from "./send.ts";
import { dropDraft, readList, type Source } from "./source.ts";

/** A list on its way from text to verdicts. */
export type Job = Adding & {
  id: string;
  source: Source;
  format: Format;
  /** Whether to use the groups named in the list. */
  usesNamed: boolean;
  /** Set when Add is pressed before the list is read: it is added as soon as that is done. */
  wanted: Choices | null;
  /** Null until the addition begins. */
  plan: Plan | null;
  stop: AbortController;
  ledger: Ledger;
  notes: string[];
  /** URLs of sitemaps, to be added one by one. */
  sitemaps: string[];
};

/** Thrown when the user stops the work, which is not an error. */
export class Stopped extends Error {}

type Show = (change: Partial<Job>) => void;

/** What works on a job: it goes on when the sheet is closed. */
type Engine = { client: QueryClient; show: Show };

/** The list that this tab is working on, and what can be done with it. */
export function useJob() {
  const client = useQueryClient();
  const { email: owner } = useUser();
  const job = useAdding<Job>();
  const engineOf = ({ id }: Job): Engine => ({ client, show: showFor(client, id) });
  const run = (task: (engine: Engine) => Promise<void>) => {
    if (job) void inBackground(client, () => task(engineOf(job)));
  };
  return {
    job,
    /** @param wanted adds everything new once it is read */
    begin(source: Source, format = recognise(source.text), wanted: Choices | null = null) {
      job?.stop.abort(new Stopped());
      const next = { ...newJob(owner, source, format), wanted };
      client.setQueryData(ADDING, next);
      void inBackground(client, () => readAndJudge(next, engineOf(next)));
    },
    useNamed: (usesNamed: boolean) => job && engineOf(job).show({ usesNamed }),
    /** Adds everything new, as soon as all is judged. Also continues after a failure. */
    add: (choices: Choices) => run((engine) => want(job!, choices, engine)),
    goOn: () => run((engine) => send(job!, engine)),
    stop: () => job?.stop.abort(new Stopped()),
    async undo() {
      if (job) await inBackground(client, () => undo(job, engineOf(job)));
    },
    forget() {
      job?.stop.abort(new Stopped());
      endWatch();
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
    .catch(() => {});

const showFor =
  (client: QueryClient, id: string): Show =>
  (change) =>
    client.setQueryData<Job | null>(ADDING, (now) => {
      if (now?.id !== id) return now;
      const next = { ...now, ...change };
      return { ...next, tally: tallyOf(next.ledger) };
    });

const latestOf = (client: QueryClient, { id }: Job) => {
  const now = client.getQueryData<Job>(ADDING);
  return now?.id === id ? now : null;
};

function newJob(owner: string, source: Source, format: Format): Job {
  const ledger = createLedger([]);
  return {
    ...{ id: newKey(), owner, source, format, ledger, tally: tallyOf(ledger) },
    // Bookmark folders are rarely meant as groups; names in a table are.
    ...{ usesNamed: format !== "bookmarks", stage: "reading", problem: null, wanted: null },
    ...{ plan: null, stop: new AbortController(), notes: [], sitemaps: [] },
  };
}

async function readAndJudge(job: Job, engine: Engine) {
  let { ledger } = job;
  await perform("reading", engine, job.stop, async (pace) => {
    const { items, notes, sitemaps } = await readList(job.format, job.source.text, pace);
    ledger = createLedger(items);
    engine.show({ ledger, sitemaps, notes: [...job.source.notes, ...notes] });
  });
  await judge({ ...job, ledger }, engine);
}

async function judge(job: Job, engine: Engine) {
  await perform("judging", engine, job.stop, (pace) => judgeAll(job.ledger, pace));
  engine.show({ stage: "ready" });
  const wanted = latestOf(engine.client, job)?.wanted;
  if (wanted) await begin(latestOf(engine.client, job)!, wanted, engine);
}

/** Waits until the list is judged, and judges it again if that failed. */
async function want(job: Job, choices: Choices, engine: Engine) {
  if (job.stage === "ready") return begin(job, choices, engine);
  engine.show({ wanted: choices });
  if (job.stage === "judging" && job.problem) await judge(renewed(job, engine), engine);
}

async function begin(job: Job, choices: Choices, engine: Engine) {
  engine.show({ wanted: null });
  if (job.ledger.counts.new === 0) return;
  const plan = {
    id: newKey(),
    choices,
    groupIds: new Map<string, string>(),
    created: new Set<string>(),
  };
  const next = { ...renewed(job, engine), plan };
  engine.show({ plan });
  await send(next, engine);
}

/** A job that can be stopped once more. */
function renewed(job: Job, { show }: Engine): Job {
  const stop = new AbortController();
  show({ stop });
  return { ...job, stop };
}

async function send(before: Job, engine: Engine) {
  const job = before.stop.signal.aborted || before.problem ? renewed(before, engine) : before;
  const { client } = engine;
  const { ledger, usesNamed } = job;
  watch(job, engine);
  addEventListener("beforeunload", askBeforeLeaving);
  try {
    await perform("adding", engine, job.stop, async (pace) => {
      const plan = await withGroups(client, ledger, job.plan!, usesNamed);
      engine.show({ plan });
      await addAll(ledger, plan, pace);
    });
    dropDraft();
    engine.show({ stage: "added" });
  } finally {
    removeEventListener("beforeunload", askBeforeLeaving);
    refresh(client);
  }
}

const askBeforeLeaving = (event: BeforeUnloadEvent) => event.preventDefault();

/** Makes the groups that the links need and that do not exist. */
async function withGroups(client: QueryClient, ledger: Ledger, plan: Plan, usesNamed: boolean) {
  const groups = await client.ensureQueryData(ALL_GROUPS);
  const { known, unknown } = namedGroups(ledger, groups);
  const isTooMuch = unknown.length > MOST_NEW_GROUPS;
  const { newGroup } = plan.choices;
  const own = newGroup === null ? [] : [newGroup.trim()];
  const named = usesNamed && !isTooMuch ? [...known, ...unknown] : [];
  const ids = await makeGroups([...new Set([...own, ...named])], groups, plan);
  const groupId = (newGroup !== null && ids.get(newGroup.trim())) || plan.choices.groupId;
  const groupIds = new Map([
    ...plan.groupIds,
    ...named.map((name) => [name, ids.get(name)!] as const),
  ]);
  return { ...plan, groupIds, choices: { ...plan.choices, groupId, newGroup: null } };
}

const refresh = (client: QueryClient) => {
  for (const queryKey of [LINKS, GROUPS, ["overview"], ["account"]]) {
    void client.invalidateQueries({ queryKey });
  }
};

let endWatch = () => {};

/** In case a live update is missed. */
const LOOK_AGAIN_MS = 5_000;

/** Reads verdicts until the last one, each time that the server reports changes of links. */
function watch(job: Job, { client, show }: Engine) {
  endWatch();
  const observer = new QueryObserver(client, {
    queryKey: [...LINKS, "list", "added", job.id],
    queryFn: async () => {
      if (job.ledger.batches.length > 0) await readVerdicts(job.ledger);
      show({});
      const latest = latestOf(client, job);
      if (latest?.stage === "added" && latest.tally.isComplete) endWatch();
      return null;
    },
    refetchInterval: LOOK_AGAIN_MS,
  });
  endWatch = observer.subscribe(() => {});
}

async function undo(job: Job, engine: Engine) {
  job.stop.abort(new Stopped());
  endWatch();
  await sending;
  await perform("added", engine, new AbortController(), async () => {
    await removeAdded(job.ledger, job.plan!);
    const removed = await removeCreated(job.plan!);
    // The list may be added again before the groups are read again.
    engine.client.setQueryData(ALL_GROUPS.queryKey, (all) =>
      all?.filter(({ id }) => !removed.has(id)),
    );
  });
  refresh(engine.client);
  engine.show({ stage: "ready", plan: null });
}

/** Settles when nothing is being sent. */
let sending: Promise<unknown> = Promise.resolve();

/** Runs one stage. An error stays visible, and the stage can be retried. */
async function perform(
  stage: Job["stage"],
  { show }: Engine,
  stop: AbortController,
  task: (pace: Pace) => Promise<void>,
) {
  show({ stage, problem: null });
  const work = task(createPace(stop.signal, () => show({})));
  sending = work.catch(() => {});
  try {
    await work;
  } catch (error) {
    show({ problem: error instanceof Error ? error : new Error(String(error)) });
    throw error;
  }
}
