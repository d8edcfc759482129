import type { ComponentChildren } from "preact";
import type { ListedLink } from "../data/link-rows.ts";
import { explain } from "../data/links.ts";
import { FREQUENCY_WORDS } from "../data/words.ts";
import { Moment } from "./moment.tsx";
import { State } from "./state.tsx";
import { Strip, stripLabel } from "./strip.tsx";
import { Proof } from "./trace.tsx";
import { Url } from "./url.tsx";

/** The shape of a link: one without a result waits for its first check. */
export const shapeOf = ({ status, last_check }: Pick<ListedLink, "status" | "last_check">) =>
  last_check === null && status !== "checking" ? "waiting" : status;

type RowGroup = { name: string; color: string };

type RowProps = {
  link: ListedLink;
  /** Null for none. */
  group: RowGroup | null;
  /** Searched text, to be marked. */
  mark: string;
  /** Undefined for viewers, who select nothing. */
  picked: boolean | undefined;
  onPick: (event: MouseEvent) => void;
  onReason: () => void;
  onGroup: () => void;
  /** Buttons over the right end. */
  acts?: ComponentChildren;
};

/** The cells of a link in a list. */
export const Row = (props: RowProps) => {
  const { link, group, mark, picked, onPick, onReason, onGroup, acts } = props;
  return (
    <>
      <span class="c-x" role="cell">
        {picked !== undefined && (
          <input
            type="checkbox"
            tabIndex={-1}
            checked={picked}
            aria-label={`Select ${link.url}`}
            onClick={onPick}
          />
        )}
      </span>
      <span class="c-s" role="cell">
        <State status={shapeOf(link)} />
      </span>
      <span class="c-u" role="cell">
        <a href={`/links/${link.id}`} tabIndex={-1}>
          <Url url={link.url} mark={mark} column="row" />
        </a>
      </span>
      <span class="c-p" role="cell">
        <Reason link={link} onReason={onReason} />
      </span>
      <span class="c-g" role="cell">
        {group && (
          <button type="button" class="cell" tabIndex={-1} onClick={onGroup}>
            <i class="gsq" style={{ background: group.color }} />
            <span>{group.name}</span>
          </button>
        )}
      </span>
      <span class="c-q" role="cell">
        {FREQUENCY_WORDS[link.check_frequency]}
      </span>
      <span class="c-d" role="cell">
        {link.strip && link.strip.length > 0 && (
          <Strip runs={link.strip} days={30} size="mini" label={stripLabel(link.strip)} />
        )}
      </span>
      <span class="c-t" role="cell">
        {shapeOf(link) !== "waiting" && <Moment at={link.status_changed_at} short />}
      </span>
      {acts && (
        <span class="acts" role="cell">
          {acts}
        </span>
      )}
    </>
  );
};

function Reason({ link, onReason }: Pick<RowProps, "link" | "onReason">) {
  const shape = shapeOf(link);
  if (shape === "checking") return <span class="soft">Checking</span>;
  if (shape === "waiting") return <span class="soft">Waiting</span>;
  if (shape === "active" || !link.reason) return null;
  const last = link.last_check;
  const statusCode = last?.reason === link.reason ? last.status_code : null;
  return (
    <button type="button" class="cell" tabIndex={-1} title={explain(link)} onClick={onReason}>
      <Proof reason={link.reason} status={shape} statusCode={statusCode} />
    </button>
  );
}

const HEADS = [
  ["u", "Link"],
  ["p", "Reason"],
  ["g", "Group"],
  ["q", "Checked"],
  ["d", "30 days"],
  ["t", "Since"],
];

/** The names of the columns, in the order of a row's cells. */
export const RowHead = ({ children }: { children: ComponentChildren }) => (
  <>
    <span class="c-x" role="columnheader">
      {children}
    </span>
    <span class="c-s" role="columnheader">
      <span class="unseen">State</span>
    </span>
    {HEADS.map(([column, name]) => (
      <span key={column} class={`c-${column}`} role="columnheader">
        {name}
      </span>
    ))}
  </>
);
