import { CircleCheck, CircleHelp, CircleX } from "lucide-preact";
import { counted } from "../lib/counted.ts";
import type { Counted } from "../lib/groups.ts";

const PARTS = [
  { status: "active", word: "active", Icon: CircleCheck },
  { status: "dead", word: "dead", Icon: CircleX },
  { status: "unknown", word: "unknown", Icon: CircleHelp },
] as const;

type StatusShareProps = {
  of: Counted;
  /** Whose links they are, for those who cannot see where the numbers stand: "in Docs". */
  where: string;
  /** Where the links of a status are listed, or all of them. */
  hrefOf: (status?: (typeof PARTS)[number]["status"]) => string;
};

/** How many links are what: numbers that lead to them, and a bar for the eye. */
export const StatusShare = ({
  of: { link_count: all, counts },
  where,
  hrefOf,
}: StatusShareProps) => (
  <div class="share">
    <a class="share-all" href={hrefOf()}>
      {counted(all, "link")}
      <span class="unseen"> {where}</span>
    </a>
    <p class="share-numbers">
      {PARTS.map(({ status, word, Icon }) => (
        <a
          key={status}
          class={counts[status] > 0 ? `share-${status}` : "share-none"}
          href={hrefOf(status)}
          title={`${counts[status].toLocaleString("en")} ${word}`}
        >
          <Icon aria-hidden="true" />
          {counts[status].toLocaleString("en")}
          <span class="unseen">
            {" "}
            {word} {where}
          </span>
        </a>
      ))}
    </p>
    <div class="share-bar" aria-hidden="true">
      {PARTS.filter(({ status }) => counts[status] > 0).map(({ status }) => (
        <span key={status} class={`share-${status}`} style={{ flexGrow: counts[status] }} />
      ))}
    </div>
  </div>
);
