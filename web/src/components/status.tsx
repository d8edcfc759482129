import { CircleCheck, CircleHelp, CircleX, LoaderCircle } from "lucide-preact";
import type { Status as StatusName } from "../lib/links.ts";

const LOOKS = {
  active: { Icon: CircleCheck, word: "Active" },
  dead: { Icon: CircleX, word: "Dead" },
  unknown: { Icon: CircleHelp, word: "Unknown" },
  checking: { Icon: LoaderCircle, word: "Checking" },
};

/** Shown by word, shape and colour. */
export function Status({ of }: { of: StatusName }) {
  const { Icon, word } = LOOKS[of];
  return (
    <span class={`status status-${of}`}>
      <Icon aria-hidden="true" />
      {word}
    </span>
  );
}

export const statusWord = (status: StatusName) => LOOKS[status].word;

/** The icon alone, next to a word. */
export function StatusShape({ of }: { of: StatusName }) {
  const { Icon } = LOOKS[of];
  return <Icon class={`shape-${of}`} aria-hidden="true" />;
}
