import type { ComponentChildren } from "preact";
import type { LinkSort } from "../../../server/ground/lib/vocabulary.ts";
import { shownUrl } from "../data/display-url.ts";
import type { ListedLink } from "../data/link-rows.ts";
import { explain } from "../data/links.ts";
import { FREQUENCY_WORDS, STATUS_WORDS } from "../data/words.ts";
import { Moment } from "./moment.tsx";
import { ColumnHead } from "./rows.tsx";
import { State } from "./state.tsx";
import { Strip, stripLabel } from "./strip.tsx";
import { Proof } from "./trace.tsx";
import { marked, Url } from "./url.tsx";

/** The shape of a link: one without a result waits for its first check. */
export const shapeOf = ({ status, last_check }: Pick<ListedLink, "status" | "last_check">) =>
  last_check === null && status !== "checking" ? "waiting" : status;

/** What people decided about a link, which its row shows instead of its state. */
function markOf(link: Pick<ListedLink, "handling" | "overridden_until">) {
  if (link.handling !== "open") return link.handling;
  return link.overridden_until ? "overridden" : null;
}

type RowProps = {
  link: ListedLink;
  /** Null for none. */
  group: { name: string; color: string } | null;
  /** Searched text, to be marked. */
  mark: string;
  /** Undefined for viewers, who select nothing. */
  picked: boolean | undefined;
  onPick: (event: MouseEvent) => void;
  onReason: () => void;
  onGroup: () => void;
  onTag: (tag: string) => void;
  /** Whether a title is shown instead of the URL. */
  isTitled: boolean;
  /** Buttons over the right end. */
  acts?: ComponentChildren;
};

/** The cells of a link in a list. */
export const Row = (props: RowProps) => {
  const { link, group, mark, picked, onPick, onReason, onGroup, onTag, acts } = props;
  const decided = markOf(link);
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
        {decided ? (
          <>
            <State status={decided} />
            <span class="unseen">, {STATUS_WORDS[shapeOf(link)]}</span>
          </>
        ) : (
          <State status={shapeOf(link)} />
        )}
      </span>
      <span class="c-u" role="cell">
        <a href={`/links/${link.id}`} tabIndex={-1}>
          {props.isTitled && link.title ? (
            <span class="url named" title={link.url}>
              <b class="clip">{marked(link.title, mark)}</b>{" "}
              <span class="soft clip">{marked(shownUrl(link.url), mark)}</span>
            </span>
          ) : (
            <Url url={link.url} mark={mark} column="row" />
          )}
        </a>
        {link.suggestion && (
          <span class="tagq" title={link.suggestion.url}>
            {link.suggestion.kind === "archive" ? "copy" : "replacement"}
          </span>
        )}
      </span>
      <span class="c-p" role="cell">
        <Reason link={link} onReason={onReason} />
      </span>
      <span class="c-g" role="cell">
        {group && (
          <button type="button" class="cell" tabIndex={-1} onClick={onGroup}>
            <i class="gsq" style={{ background: group.color }} />
            <span class="clip">{group.name}</span>
          </button>
        )}
      </span>
      <span class="c-l" role="cell" title={link.tags.join(", ")}>
        {link.tags.length > 0 && <span class="tag-count">{link.tags.length}</span>}
        {link.tags.slice(0, MOST_TAGS).map((tag) => (
          <button
            key={tag}
            type="button"
            class="chip clip"
            tabIndex={-1}
            onClick={() => onTag(tag)}
          >
            {tag}
          </button>
        ))}
        {link.tags.length > MOST_TAGS && <span>+{link.tags.length - MOST_TAGS}</span>}
      </span>
      <span class="c-w clip" role="cell" title={link.assignee?.email}>
        {link.assignee?.email.split("@", 1)[0]}
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

const MOST_TAGS = 2;

const HEADS: { column: string; name: string; sorts?: LinkSort[] }[] = [
  { column: "u", name: "Link", sorts: ["url", "-url"] },
  { column: "p", name: "Reason" },
  { column: "g", name: "Group" },
  { column: "l", name: "Tags" },
  { column: "w", name: "Assignee" },
  { column: "q", name: "Checked" },
  { column: "d", name: "30 days" },
  { column: "t", name: "Since", sorts: ["-status_changed_at", "status_changed_at"] },
];

type RowHeadProps = {
  sort: LinkSort;
  onSort: (sort: LinkSort) => void;
  children: ComponentChildren;
};

/** The names of the columns, in the order of a row's cells. */
export const RowHead = ({ sort, onSort, children }: RowHeadProps) => (
  <>
    <span class="c-x" role="columnheader">
      {children}
    </span>
    <span class="c-s" role="columnheader">
      <span class="unseen">State</span>
    </span>
    {HEADS.map(({ column, ...head }) => (
      <ColumnHead key={column} class={`c-${column}`} {...head} sort={sort} onSort={onSort} />
    ))}
  </>
);
