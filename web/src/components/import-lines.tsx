import { useId } from "preact/hooks";
import { FORMATS, type Format } from "../../../server/links/imports/formats.ts";
import { pageQuery, withQuery } from "../lib/filter.ts";
import type { Job } from "../lib/import-job.ts";
import { type Ledger, OUTCOMES, type Outcome, pageOf } from "../lib/import-ledger.ts";
import { Chips } from "./elements.tsx";
import { OutcomeList, outcomeWord } from "./import-outcomes.tsx";
import { Pager } from "./lists.tsx";
import { OutsideLink } from "./outside-link.tsx";

const PER_PAGE = 100;
const MOST_SITEMAPS = 50;

type SourceLineProps = { job: Job; onFormat: ((format: Format) => void) | undefined };

/** The detected format, which the user can correct. */
export function SourceLine({ job, onFormat }: SourceLineProps) {
  const id = useId();
  return (
    <div class="source">
      <p>
        <strong class="url">{job.source.name ?? "Your list"}</strong>
      </p>
      <div class="source-format">
        <label for={id}>Read as</label>
        <select
          id={id}
          value={job.format}
          disabled={!onFormat}
          onChange={({ currentTarget }) => onFormat?.(currentTarget.value as Format)}
        >
          {Object.entries(FORMATS).map(([format, { name }]) => (
            <option key={format} value={format}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

export const Notes = ({ notes }: { notes: string[] }) =>
  notes.map((note) => (
    <p key={note} class="notice notice-calm">
      {note}
    </p>
  ));

export const Sitemaps = ({ sitemaps }: { sitemaps: string[] }) => (
  <section class="card sitemaps">
    <h2>This is an index of {sitemaps.length.toLocaleString("en")} sitemaps</h2>
    <p>It does not list pages. Save each of its sitemaps, and import them here one by one:</p>
    <ul>
      {sitemaps.slice(0, MOST_SITEMAPS).map((url) => (
        <li key={url}>
          <OutsideLink url={url} />
        </li>
      ))}
    </ul>
    {sitemaps.length > MOST_SITEMAPS && (
      <p class="hint">And {(sitemaps.length - MOST_SITEMAPS).toLocaleString("en")} more.</p>
    )}
  </section>
);

type LinesProps = { ledger: Ledger; shown: Outcome | null; page: number };

export function Lines({ ledger, shown, page }: LinesProps) {
  const total = shown ? ledger.counts[shown] : ledger.items.length;
  const pages = Math.ceil(total / PER_PAGE);
  const offered = OUTCOMES.filter((each) => ledger.counts[each] > 0 || each === shown);
  return (
    <section class="lines" aria-label="What happens to each line">
      <Chips
        label="Show"
        chips={[null, ...offered].map((outcome) => ({
          name: outcome ? outcomeWord(outcome) : "All",
          href: hrefOf(outcome),
          isOn: outcome === shown,
          count: outcome ? ledger.counts[outcome] : ledger.items.length,
        }))}
      />
      <OutcomeList ledger={ledger} indexes={pageOf(ledger, shown, { page, perPage: PER_PAGE })} />
      <Pager
        pagination={{ page, per_page: PER_PAGE, total, total_pages: pages }}
        what="lines"
        hrefOf={(to) => hrefOf(shown, to)}
      />
    </section>
  );
}

const hrefOf = (shown: Outcome | null, page = 1) =>
  withQuery("/links/new", { ...(shown && { show: shown }), ...pageQuery(page) });
