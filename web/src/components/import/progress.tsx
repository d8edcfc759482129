import { CircleAlert, CirclePause } from "lucide-preact";
import { type Job, Stopped } from "../../lib/import/job.ts";

const WORDS = {
  reading: "Reading the list",
  judging: "Looking at each line",
  adding: "Adding the links",
};

type ProgressProps = { job: Job; onStop: () => void; onGoOn: () => void };

/** How far the work has come, and the way to stop it or to let it go on. */
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

/** What was settled before stays settled. */
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
