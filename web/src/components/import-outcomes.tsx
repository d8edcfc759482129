import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePlus,
  CircleX,
  CopyMinus,
  Eye,
  type LucideIcon,
} from "lucide-preact";
import { type Ledger, type Outcome, outcomeAt } from "../lib/import-ledger.ts";
import { Pill } from "./elements.tsx";

const LOOKS: Record<Outcome, { Icon: LucideIcon; word: string }> = {
  waiting: { Icon: CircleDashed, word: "Not reviewed yet" },
  new: { Icon: CirclePlus, word: "Will be added" },
  known: { Icon: Eye, word: "Already monitored" },
  twice: { Icon: CopyMinus, word: "Duplicate in this list" },
  refused: { Icon: CircleX, word: "Refused" },
  limit: { Icon: Ban, word: "Over the limit" },
  added: { Icon: CircleCheck, word: "Added" },
};

export const outcomeWord = (outcome: Outcome) => LOOKS[outcome].word;

/** @param indexes those of one page */
export const OutcomeList = ({ ledger, indexes }: { ledger: Ledger; indexes: number[] }) => (
  <ul class="rows outcomes" aria-label="Lines">
    {indexes.map((index) => (
      <li key={index}>
        <Row ledger={ledger} index={index} />
      </li>
    ))}
  </ul>
);

function Row({ ledger, index }: { ledger: Ledger; index: number }) {
  const { url, line, group, frequency } = ledger.items[index]!;
  const outcome = outcomeAt(ledger, index);
  return (
    <>
      <OutcomeMark of={outcome} />
      <div class="what">
        <span class="url" title={url}>
          {url || "(nothing)"}
        </span>
        <Why ledger={ledger} index={index} outcome={outcome} />
      </div>
      <p class="when">
        <span>{[group, frequency].filter(Boolean).join(" · ")}</span>
        <span>Line {line.toLocaleString("en")}</span>
      </p>
    </>
  );
}

export function OutcomeMark({ of }: { of: Outcome }) {
  const { Icon, word } = LOOKS[of];
  return (
    <Pill Icon={Icon} look={`outcome-${of}`}>
      {word}
    </Pill>
  );
}

export function Why({
  ledger,
  index,
  outcome,
}: {
  ledger: Ledger;
  index: number;
  outcome: Outcome;
}) {
  const detail = ledger.details[index];
  if (outcome === "known" || outcome === "added") {
    return (
      <p class="why">
        <a href={`/links/${detail}`}>{outcome === "known" ? "See the link" : "See it"}</a>
      </p>
    );
  }
  if (outcome === "twice" && typeof detail === "number") {
    const first = ledger.items[detail]!.line.toLocaleString("en");
    return <p class="why">Same page as line {first}.</p>;
  }
  if (detail === undefined) return null;
  return <p class="why">{outcome === "new" ? `As ${detail}` : detail}</p>;
}
