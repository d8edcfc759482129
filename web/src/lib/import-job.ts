import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { type Format, recognise } from "../../../server/links/imports/formats.ts";
import { GROUPS, type Group } from "./groups.ts";
import { addAll, judgeAll, newImportId } from "./import-add.ts";
import { type Choices, makeGroups, neededGroups, withGroup } from "./import-choices.ts";
import { createLedger, createPace, type Ledger, outcomeAt, type Pace } from "./import-ledger.ts";
import { MOST_ITEMS, readList, type Source } from "./import-source.ts";
import { LINKS } from "./links.ts";

type Stage = "reading" | "judging" | "ready" | "adding" | "done";

/** A list on its way from a text to links. */
export type Job = {
  id: string;
  owner: string;
  source: Source;
  format: Format;
  choices: Choices;
  stage: Stage;
  /** The part of the stage that is done, from 0 to 1. */
  done: number;
  /** Why the stage stands still; null while it goes on, or is over. */
  problem: Error | null;
  stop: AbortController;
  ledger: Ledger;
  notes: string[];
  /** Addresses of sitemaps that are to be given one by one. */
  sitemaps: string[];
};

/** What was stopped on purpose is no failure. */
export class Stopped extends Error {}

/**
 * Kept beside what the server said, so that it outlives the page and a lost session, and is gone once
 * the user signs out.
 */
const JOB = ["import"];

type Show = (change: Partial<Job>) => void;

/** @param owner who is signed in: nobody sees the list of another who used the same tab before */
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
  // A mutation, since a refusal for want of a session then leads to the sign-in page.
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
    /** Goes on with what stands still before anything is added. */
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
  // Folders of bookmarks are seldom meant as groups; names in a table are.
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
        `Only the first ${MOST_ITEMS.toLocaleString("en")} links are read. Give the rest after them.`,
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

/** One stage of the work. What goes wrong stays to be seen, and the stage to be tried again. */
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

/** The indexes of what was not added although it might have been, as it stands. */
const refusedIn = (ledger: Ledger): number[] =>
  [...ledger.items.keys()].filter((i) => /^(refused|limit)$/.test(outcomeAt(ledger, i)));

/** What a spreadsheet would run, also where the signs are of full width. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

export const refusedText = (ledger: Ledger) =>
  refusedIn(ledger)
    .map((i) => ledger.items[i]!.url)
    .join("\n");

/** A table that can be fixed and imported again: its columns are read back. */
export async function refusedTable(ledger: Ledger): Promise<string> {
  const { default: Papa } = await import("papaparse");
  const rows = refusedIn(ledger).map((i) => {
    const { line, url, group, frequency } = ledger.items[i]!;
    const problem = ledger.details[i] ?? "";
    return { line, url, group: group ?? "", check_frequency: frequency ?? "", problem };
  });
  // Every cell is quoted, as in an export.
  return Papa.unparse(rows, { quotes: true, escapeFormulae: FORMULA });
}

/** Hands the text to the user as a file. */
export function download(name: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  URL.revokeObjectURL(address);
}
