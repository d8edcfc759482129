import { STAGES, type Stage } from "../../../server/judge/reasons/reasons.ts";
import { reasonWords, type Shape, STAGE_WORDS, stageOf } from "../data/words.ts";

type TraceProps = {
  reason: string;
  status: Shape;
  cause?: string | null;
  /** Where the server says it; otherwise it follows from the reason. */
  stage?: Stage | null;
};

/** The five stages of a check: a line for a passed one, a cross or a diamond for the failed one, dots after it. */
export function Trace({ reason, status, cause = null, ...known }: TraceProps) {
  const stage = known.stage ?? stageOf(reason, cause);
  const failed = stage ? STAGES.indexOf(stage) : -1;
  return (
    <svg
      class="trace"
      viewBox="0 0 54 12"
      role="img"
      aria-label={stage ? `Failed at: ${STAGE_WORDS[stage]}` : "No stage failed"}
    >
      {STAGES.map((name, index) => (
        <StageMark key={name} x={11 * index} place={index - failed} isDead={status === "dead"} />
      ))}
    </svg>
  );
}

/** @param place how many stages after the failed one */
function StageMark({ x, place, isDead }: { x: number; place: number; isDead: boolean }) {
  const middle = x + 4.5;
  if (place < 0) return <rect class="ok" x={x} y="5" width="9" height="2" rx="1" />;
  if (place > 0) return <circle class="off" cx={middle} cy="6" r="1" />;
  return isDead ? (
    <path class="no" d={`M${middle - 2.9} 3.1l5.8 5.8M${middle + 2.9} 3.1l-5.8 5.8`} />
  ) : (
    <path class="may" d={`M${middle} 2.2L${middle + 3.8} 6 ${middle} 9.8 ${middle - 3.8} 6z`} />
  );
}

type ProofProps = {
  reason: string | null;
  status: Shape;
  statusCode?: number | null;
  cause?: string | null;
  stage?: Stage | null;
};

/** The trace with the reason in words; nothing for a link that is alive, or has no result. */
export function Proof(props: ProofProps) {
  const { reason, status, statusCode = null, cause = null, stage = null } = props;
  if (!reason || (status !== "dead" && status !== "unknown")) return null;
  return (
    <span class={`proof ${status}`}>
      <Trace {...{ reason, status, cause, stage }} />
      <span>{reasonWords(reason, statusCode, cause)}</span>
    </span>
  );
}
