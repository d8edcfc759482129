import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { type Format, recognise } from "../../../server/links/imports/formats.ts";
import { GROUPS, type Group } from "./groups.ts";
import { addAll, judgeAll, newImportId } from "./import-add.ts";
import { type Choices, makeGroups, neededGroups, withGroup } from "./import-choices.ts";
import { createLedger, createPace, type Ledger, outcomeAt, type Pace } from "./import-ledger.ts";
import { MOST_ITEMS, readList, type Source } from "./import-source.ts";
import { LINKS } from "./links.ts";

type Stage = "reading" | "judging" | "ready" | "adding" | "done";

/** An import from text to links. */
export type Job = {
  id: string;
  owner: string;
  source: Source;
  format: Format;
  choices: Choices;
  stage: Stage;
  /** Progress of the stage, from 0 to 1. */
  done: number;
  /** Why the stage has halted; null while it runs or after it ends. */
  problem: Error | null;
  stop: AbortController;
  ledger: Ledger;
  notes: string[];
  /** URLs of sitemaps, to be imported one by one. */
  sitemaps: string[];
};

/** Thrown when the user stops the work, which is not an error. */
export class Stopped extends Error {}

/** Kept in the query cache, so that it outlives the page and an expired session, until the user signs out. */
const JOB = ["import"];

type Show = (change: Partial<Job>) => void;

/** @param owner the signed-in user: an import of the previous user of this tab stays hidden */
export function useImport(owner: string) {
  const client = useQueryClient();
  const { data } = useQuery<Job | null>({
    queryKey: JOB,
    queryFn: skipToken,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const job = data?.owner === owner ? data : null;
  // A mutation, so that a 401 leads to the sign-in page.
  const { mutate: work } = useMutation({ mutationFn: (task: () => Promise<void>) => task() });
  const showFor =
    (id: string): Show =>
    (change) =>
      client.setQueryData<Job | null>(JOB, (now) => (now?.id === id ? { ...now, ...change } : now));
  const start = (next: Job) => {
    client.setQueryData(JOB, next);
    work(() => readAndJudge(next, showFor(next.id)));
  };
  return {
    job,
    begin(source: Source, choices: Choices, format = recognise(source.text)) {
      job?.stop.abort(new Stopped());
      start(newJob(owner, source, choices, format));
    },
    /** Continues before anything is added. */
    judge: () => job && work(() => judge(job, showFor(job.id))),
    choose: (choices: Choices) => job && showFor(job.id)({ choices }),
    async add(groups: Group[]) {
      if (!job) return;
      const refresh = () =>
        [LINKS, GROUPS, ["overview"], ["account"]].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        );
      work(() => addThem(job, groups, showFor(job.id)), { onSettled: refresh });
    },
    stop: () => job?.stop.abort(new Stopped("Stopped.")),
    forget() {
      job?.stop.abort(new Stopped());
      client.setQueryData(JOB, null);
    },
  };
}

const newJob = (owner: string, source: Source, choices: Choices, format: Format): Job => ({
  id: newImportId(),
  owner,
  source,
  format,
  // Bookmark folders are rarely meant as groups; names in a table are.
  choices: { ...choices, usesNamed: format !== "bookmarks" },
  stage: "reading",
  done: 0,
  problem: null,
  stop: new AbortController(),
  ledger: createLedger([]),
  notes: [],
  sitemaps: [],
});

async function readAndJudge(job: Job, show: Show) {
  let ledger = job.ledger;
  await perform("reading", show, async (pace) => {
    const { items, notes, sitemaps } = await readList(job.format, job.source.text, pace);
    ledger = createLedger(items);
    show({
      ledger,
      sitemaps,
      notes: [...job.source.notes, ...notes, ...noteOfLength(items.length)],
    });
  });
  await judge({ ...job, ledger }, show);
}

const noteOfLength = (length: number) =>
  length < MOST_ITEMS
    ? []
    : [
        `Only the first ${MOST_ITEMS.toLocaleString("en")} links are read. Import the rest separately.`,
      ];

async function judge({ ledger }: Job, show: Show) {
  await perform("judging", show, (pace) => judgeAll(ledger, pace));
  show({ stage: "ready" });
}

async function addThem(job: Job, groups: Group[], show: Show) {
  const { id, ledger } = job;
  await perform("adding", show, async (pace) => {
    const names = neededGroups(ledger, job.choices, groups);
    const groupIds = await makeGroups(names, groups, id);
    const choices = withGroup(job.choices, groupIds);
    show({ choices });
    await addAll(ledger, { choices, groupIds, id }, pace);
  });
  show({ stage: "done" });
}

/** Runs one stage. An error stays visible, and the stage can be retried. */
async function perform(stage: Stage, show: Show, task: (pace: Pace) => Promise<void>) {
  const stop = new AbortController();
  show({ stage, stop, done: 0, problem: null });
  try {
    await task(createPace(stop.signal, (done) => show({ done })));
  } catch (error) {
    show({ problem: error instanceof Error ? error : new Error(String(error)) });
    throw error;
  }
}

/** Indexes of items that were rejected or exceed the limit. */
const refusedIn = (ledger: Ledger): number[] =>
  [...ledger.items.keys()].filter((i) => /^(refused|limit)$/.test(outcomeAt(ledger, i)));

/** Text that a spreadsheet would run as a formula, including full-width characters. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

export const refusedText = (ledger: Ledger) =>
  refusedIn(ledger)
    .map((i) => ledger.items[i]!.url)
    .join("\n");

/** A CSV file that can be corrected and imported again. */
export async function refusedTable(ledger: Ledger): Promise<string> {
  const { default: Papa } = await import("papaparse");
  const rows = refusedIn(ledger).map((i) => {
    const { line, url, group, frequency } = ledger.items[i]!;
    const problem = ledger.details[i] ?? "";
    return { line, url, group: group ?? "", check_frequency: frequency ?? "", problem };
  });
  // Quotes every cell, as exports do.
  return Papa.unparse(rows, { quotes: true, escapeFormulae: FORMULA });
}

/** Saves the text as a file. */
export function download(name: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  URL.revokeObjectURL(address);
}
