import { CircleAlert, CircleCheck, CirclePause, Copy, Download } from "lucide-preact";
import { useMemo, useRef } from "preact/hooks";
import { copyFrom } from "../lib/browser.ts";
import type { Group } from "../lib/groups.ts";
import { type Choices, MOST_NEW_GROUPS, namedGroups } from "../lib/import-choices.ts";
import { download, type Job, refusedTable, refusedText, Stopped } from "../lib/import-job.ts";
import type { Ledger } from "../lib/import-ledger.ts";
import { Options } from "./import-compose.tsx";
import { useToast } from "./toast.tsx";

const WORDS = {
  reading: "Reading the list",
  judging: "Reviewing each line",
  adding: "Adding the links",
};

type ProgressProps = { job: Job; onStop: () => void; onGoOn: () => void };

export function Progress({ job, onStop, onGoOn }: ProgressProps) {
  const { stage, problem, done, ledger } = job;
  if (stage === "ready" || stage === "done") return null;
  if (problem) return <Halted job={job} problem={problem} onGoOn={onGoOn} />;
  const { added, new: waiting } = ledger.counts;
  const numbers =
    stage === "adding" &&
    `${added.toLocaleString("en")} of ${(added + waiting).toLocaleString("en")}`;
  return (
    <div class="card progress">
      <p role="status">{WORDS[stage]}…</p>
      <progress aria-label={WORDS[stage]} value={done} max={1} />
      <p class="hint">{numbers || `${Math.floor(done * 100)} %`}</p>
      <button type="button" onClick={onStop}>
        Stop
      </button>
    </div>
  );
}

function Halted({ job, problem, onGoOn }: { job: Job; problem: Error; onGoOn: () => void }) {
  const isStopped = problem instanceof Stopped;
  const { added, new: waiting } = job.ledger.counts;
  return (
    <div class="card progress halted" role="alert">
      {isStopped ? <CirclePause aria-hidden="true" /> : <CircleAlert aria-hidden="true" />}
      <p>
        {isStopped ? "Stopped." : problem.message}{" "}
        {job.stage === "adding" &&
          `${added.toLocaleString("en")} added so far, ${waiting.toLocaleString("en")} to go.`}
      </p>
      {job.stage !== "reading" && (
        <button type="button" onClick={onGoOn}>
          {isStopped ? "Go on" : "Try again"}
        </button>
      )}
    </div>
  );
}

type ReadyProps = {
  job: Job;
  groups: Group[] | undefined;
  onChoose: (choices: Choices) => void;
  onAdd: () => void;
};

/** The last step before anything is added. */
export function Ready({ job, groups, onChoose, onAdd }: ReadyProps) {
  const { ledger, choices } = job;
  const named = useMemo(() => namedGroups(ledger, groups ?? []), [ledger, groups, job.stage]);
  const isTooMuch = named.unknown.length > MOST_NEW_GROUPS;
  const settled = isTooMuch ? { ...choices, usesNamed: false } : choices;
  const count = ledger.counts.new;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (settled !== choices) onChoose(settled);
    onAdd();
  };
  return (
    <form class="card ready" onSubmit={submit}>
      <Options choices={choices} onChange={onChoose} />
      {named.known.length + named.unknown.length > 0 && (
        <NamedGroups named={named} isTooMuch={isTooMuch} choices={settled} onChange={onChoose} />
      )}
      <footer>
        <button
          type="submit"
          class="primary"
          disabled={count === 0 || !groups || choices.newGroup?.trim() === ""}
        >
          {count === 1 ? "Add 1 link" : `Add ${count.toLocaleString("en")} links`}
        </button>
      </footer>
    </form>
  );
}

type NamedGroupsProps = {
  named: { known: string[]; unknown: string[] };
  isTooMuch: boolean;
  choices: Choices;
  onChange: (choices: Choices) => void;
};

/** Groups named in the list, which override the one chosen for all. */
function NamedGroups({ named, isTooMuch, choices, onChange }: NamedGroupsProps) {
  const { known, unknown } = named;
  return (
    <div class="field">
      <label class="choice">
        <input
          type="checkbox"
          checked={choices.usesNamed}
          disabled={isTooMuch}
          onChange={({ currentTarget }) =>
            onChange({ ...choices, usesNamed: currentTarget.checked })
          }
        />
        Use the groups that the list names
      </label>
      {known.length > 0 && <p class="hint">Existing groups: {some(known)}.</p>}
      {unknown.length > 0 && !isTooMuch && (
        <p class="hint">
          {choices.usesNamed ? "Will be created" : "Would be created"}: {some(unknown)}.
        </p>
      )}
      {isTooMuch && (
        <p class="hint">
          The list names {unknown.length.toLocaleString("en")} groups that do not exist. At most{" "}
          {MOST_NEW_GROUPS} can be created at once.
        </p>
      )}
    </div>
  );
}

const SHOWN = 8;

/** "Docs, Blog and 3 more" */
const some = (names: string[]) =>
  names.length <= SHOWN
    ? names.join(", ")
    : `${names.slice(0, SHOWN).join(", ")} and ${names.length - SHOWN} more`;

type DoneProps = { ledger: Ledger; href: string; onMore: () => void };

export function Done({ ledger, href, onMore }: DoneProps) {
  const { added, refused, limit } = ledger.counts;
  return (
    <div class="card done">
      <div role="status">
        <h2>
          <CircleCheck aria-hidden="true" />
          {added === 1 ? "1 link added" : `${added.toLocaleString("en")} links added`}
        </h2>
      </div>
      <footer>
        <a class="button primary" href={href}>
          See them
        </a>
        <button type="button" onClick={onMore}>
          Add more
        </button>
      </footer>
      {refused + limit > 0 && <Refused ledger={ledger} />}
    </div>
  );
}

/** Offers the rejected lines for correction elsewhere. */
function Refused({ ledger }: { ledger: Ledger }) {
  const toast = useToast();
  const field = useRef<HTMLTextAreaElement>(null);
  const count = ledger.counts.refused + ledger.counts.limit;
  const copy = async () => {
    const { current } = field;
    if (!current) return;
    current.value = refusedText(ledger);
    const isCopied = await copyFrom(current);
    current.value = "";
    toast(isCopied ? "Copied." : "Copying failed in this browser. Download them instead.");
  };
  const save = async () => download("refused-links.csv", await refusedTable(ledger));
  return (
    <div class="refused">
      <p>
        {count === 1 ? "1 line was refused." : `${count.toLocaleString("en")} lines were refused.`}
      </p>
      <button type="button" onClick={copy}>
        <Copy aria-hidden="true" />
        Copy them
      </button>
      <button type="button" onClick={save}>
        <Download aria-hidden="true" />
        Download with reasons
      </button>
      <textarea ref={field} class="unseen" tabIndex={-1} aria-hidden="true" readOnly />
    </div>
  );
}
