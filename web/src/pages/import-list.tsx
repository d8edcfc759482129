import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Problem } from "../components/form.tsx";
import { Lines, Notes, Sitemaps, SourceLine } from "../components/import-lines.tsx";
import { Done, Progress, Ready } from "../components/import-steps.tsx";
import { Empty } from "../components/states.tsx";
import { useAskBeforeLeaving } from "../lib/browser.ts";
import { pageIn } from "../lib/filter.ts";
import { useGroups } from "../lib/groups.ts";
import type { Job, useImport } from "../lib/import-job.ts";
import { OUTCOMES } from "../lib/import-ledger.ts";

type ImportListProps = {
  flow: ReturnType<typeof useImport>;
  job: Job;
  problem: Error | null;
  onDone: () => void;
  onMore: () => void;
};

export function ImportList({ flow, job, problem, onDone, onMore }: ImportListProps) {
  const { query } = useLocation();
  const groups = useGroups();
  const { stage, ledger } = job;
  const isSettled = stage === "done";
  useAskBeforeLeaving(stage === "adding" && job.problem === null);
  useEffect(() => {
    if (isSettled) onDone();
  }, [isSettled]);
  const add = () => flow.add(groups.data ?? []);
  return (
    <>
      <Problem error={problem ?? groups.error} />
      <SourceLine
        job={job}
        onFormat={
          stage === "adding" || isSettled
            ? undefined
            : (format) => flow.begin(job.source, job.choices, format)
        }
      />
      <Notes notes={job.notes} />
      {job.sitemaps.length > 0 && <Sitemaps sitemaps={job.sitemaps} />}
      <Progress job={job} onStop={flow.stop} onGoOn={stage === "adding" ? add : flow.judge} />
      {stage === "ready" && ledger.items.length > 0 && (
        <Ready job={job} groups={groups.data} onChoose={flow.choose} onAdd={add} />
      )}
      {isSettled && <Done ledger={ledger} href={hrefOf(job)} onMore={onMore} />}
      {ledger.items.length > 0 && (
        <Lines
          ledger={ledger}
          shown={OUTCOMES.find((outcome) => outcome === query.show) ?? null}
          page={pageIn(query)}
        />
      )}
      {stage === "ready" && ledger.items.length + job.sitemaps.length === 0 && <Nothing />}
    </>
  );
}

const Nothing = () => (
  <Empty title="No links found">
    <p>No links were found. Choose another format above, or start over.</p>
  </Empty>
);

const hrefOf = ({ choices }: Job) =>
  choices.groupId ? `/links?group_id=${choices.groupId}` : "/links";
