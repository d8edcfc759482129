import { isGoing, reachedOf, type Work } from "../lib/bulk-work.ts";
import { counted } from "../lib/counted.ts";
import { doingWords, doneWords } from "../lib/work-words.ts";

type WorkProgressProps = {
  work: Work;
  onStop: () => void;
  onGoOn: () => void;
  onClose: () => void;
};

/** How far something done to many links has come, and what became of it. */
export const WorkProgress = ({ work, onStop, onGoOn, onClose }: WorkProgressProps) => (
  <section class="progress-bar" aria-label={doingWords(work.deed)}>
    <div class="bar-told" role="status">
      {isGoing(work) ? <p>{doingWords(work.deed)}</p> : <Ended work={work} />}
    </div>
    <HowFar work={work} />
    <div class="bar-deeds">
      {isGoing(work) && (
        <button type="button" disabled={work.state === "stopping"} onClick={onStop}>
          {work.state === "stopping" ? "Stopping…" : "Stop"}
        </button>
      )}
      {work.state === "stopped" && <GoOn name="Go on" onGoOn={onGoOn} />}
      {work.state === "refused" && <GoOn name="Try again" onGoOn={onGoOn} />}
      {!isGoing(work) && (
        <button type="button" onClick={onClose}>
          Close
        </button>
      )}
    </div>
  </section>
);

const GoOn = ({ name, onGoOn }: { name: string; onGoOn: () => void }) => (
  <button type="button" class="primary" onClick={onGoOn}>
    {name}
  </button>
);

function HowFar({ work }: { work: Work }) {
  const { reached, total } = reachedOf(work);
  const words = `${reached.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return (
    <div class="how-far">
      <progress aria-label={doingWords(work.deed)} max={total} value={reached} />
      <span>{words}</span>
    </div>
  );
}

const Ended = ({ work }: { work: Work }) => (
  <>
    {work.error && <p class="bad">{work.error.message}</p>}
    {work.state === "stopped" && <p>Stopped.</p>}
    <p>{doneWords(work)}</p>
    {work.reasons.size > 0 && (
      <ul class="work-reasons">
        {[...work.reasons].map(([reason, count]) => (
          <li key={reason}>
            {counted(count, "link")}: {reason}
          </li>
        ))}
      </ul>
    )}
  </>
);
