import { CircleCheck, CircleHelp, CircleX, LoaderCircle } from "lucide-preact";
import type { Status as StatusName } from "../lib/links.ts";
import { Pill } from "./elements.tsx";

const LOOKS = {
  active: { Icon: CircleCheck, word: "Alive", tone: "good" },
  dead: { Icon: CircleX, word: "Dead", tone: "bad" },
  unknown: { Icon: CircleHelp, word: "Unknown", tone: "unsure" },
  checking: { Icon: LoaderCircle, word: "Checking", tone: "busy" },
};

export function Status({ of }: { of: StatusName }) {
  const { Icon, word } = LOOKS[of];
  return (
    <Pill Icon={Icon} look={`status-${of}`}>
      {word}
    </Pill>
  );
}

export const statusWord = (status: StatusName) => LOOKS[status].word;

/** The word inside a sentence. */
export const statusText = (status: StatusName) => statusWord(status).toLowerCase();

/** The icon alone, next to a word. */
export function StatusShape({ of }: { of: StatusName }) {
  const { Icon, tone } = LOOKS[of];
  return <Icon class={`text-${tone}`} aria-hidden="true" />;
}
