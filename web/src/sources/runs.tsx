import { counted } from "../data/format.ts";
import type { Source } from "../data/sources.ts";
import type { Shape } from "../data/words.ts";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import { type Run, useRuns } from "./queries.ts";
import { linksText, pagesText, runText } from "./words.ts";

/** The runs of a source, newest first, with what there is to say of each. */
export function Runs({ source }: { source: Source }) {
  const runs = useRuns(source);
  return (
    <Section title="Runs" class="src-runs">
      <Loaded query={runs}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="hint">No runs yet.</p>
          ) : (
            <ul aria-label="Runs">
              {items.map((run) => (
                <RunLine
                  key={run.id}
                  run={source.run?.id === run.id ? source.run : run}
                  source={source}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {runs.hasNextPage && (
        <Button quiet busy={runs.isFetchingNextPage} onClick={() => runs.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Section>
  );
}

const SHAPES: Record<Run["status"], Shape> = {
  queued: "waiting",
  reading: "checking",
  settling: "checking",
  complete: "active",
  incomplete: "unknown",
  failed: "dead",
  cancelled: "muted",
};

const RunLine = ({ run, source }: { run: Run; source: Source }) => {
  const isBad = run.status === "failed" || run.status === "incomplete";
  return (
    <li>
      <span class="soft">
        <Moment at={run.started_at ?? run.queued_at} clock />
      </span>
      <State status={SHAPES[run.status]} hidden />
      <span class={isBad ? "bad" : ""}>{runText(run)}</span>
      <span class="soft">{pagesText(run, source.kind)}</span>
      <span class="soft">{linksText(run)}</span>
      <Remarks run={run} />
    </li>
  );
};

/** What people should know of a run. */
function Remarks({ run: { message, notes, errors } }: { run: Run }) {
  const said = [...(message ? [message] : []), ...notes];
  if (said.length === 0 && errors.length === 0) return null;
  return (
    <div class="src-remarks">
      {said.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {errors.length > 0 && (
        <details>
          <summary>{counted(errors.length, "link")} could not be added</summary>
          <ul>
            {errors.map(({ url, page_url: page, reason }, n) => (
              <li key={n}>
                <code>{url}</code>{" "}
                <span class="soft">
                  {reason === "limit" ? "the account has no room for more links" : reason}, on{" "}
                  {page}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
