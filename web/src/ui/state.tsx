import { MoveRight } from "lucide-preact";
import { type Shape, STATUS_WORDS } from "../data/words.ts";

const SHAPES = {
  active: <circle cx="8" cy="8" r="3" />,
  dead: (
    <>
      <circle cx="8" cy="8" r="7" />
      <path d="M5.4 5.4l5.2 5.2M10.6 5.4l-5.2 5.2" />
    </>
  ),
  unknown: (
    <>
      <path d="M8 1.4L14.6 8 8 14.6 1.4 8z" />
      <path class="in" d="M8 5.2v3.2M8 10.7v.1" />
    </>
  ),
  checking: <circle cx="8" cy="8" r="5.2" stroke-dasharray="22 11" />,
  waiting: <circle cx="8" cy="8" r="5.2" stroke-dasharray="2 2.6" />,
  acknowledged: (
    <>
      <circle cx="8" cy="8" r="7" />
      <path d="M4.8 8.2l2.3 2.4 4.2-5" />
    </>
  ),
  muted: (
    <>
      <circle cx="8" cy="8" r="5.2" />
      <path d="M5.2 8h5.6" />
    </>
  ),
  overridden: (
    <>
      <path d="M1.4 8C3.2 5 5.4 3.6 8 3.6S12.8 5 14.6 8c-1.8 3-4 4.4-6.6 4.4S3.2 11 1.4 8z" />
      <circle cx="8" cy="8" r="2" />
    </>
  ),
} as const;

type StateProps = {
  status: Shape;
  /** Shows the word; otherwise it is for screen readers only. */
  word?: boolean;
  /** Without a word, next to one. */
  hidden?: boolean;
};

/** The shape of a status, whose color adds nothing to it. */
export const State = ({ status, word, hidden }: StateProps) => (
  <span class={`state s-${status === "active" ? "alive" : status}`}>
    {status === "moved" ? (
      <MoveRight class="i" aria-hidden="true" />
    ) : (
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {SHAPES[status]}
      </svg>
    )}
    {!hidden && <span class={word ? undefined : "unseen"}>{STATUS_WORDS[status]}</span>}
  </span>
);
