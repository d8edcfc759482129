import { ListPlus, Undo2 } from "lucide-preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Tally } from "../data/adding.ts";
import { withQuery } from "../data/filter.ts";
import { counted, many, milliseconds } from "../data/format.ts";
import { useGroups } from "../data/groups.ts";
import { useUser } from "../data/session.ts";
import { statusText } from "../data/words.ts";
import { TallyBar } from "../frame/add.tsx";
import { useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { Rows } from "../ui/rows.tsx";
import { State } from "../ui/state.tsx";
import { Proof } from "../ui/trace.tsx";
import { Url } from "../ui/url.tsx";
import { ComposeSheet } from "./compose.tsx";
import { type Job, Stopped, useJob } from "./job.ts";
import { type Ledger, orderOf, progressText, stateAt } from "./ledger.ts";
import { USUAL } from "./send.ts";
import { NotKept, Skipped } from "./skipped.tsx";
import { readFile, type Source, useDraft } from "./source.ts";
import "./add.css";

type AddSheetProps = {
  /** What was pasted or dropped elsewhere. */
  text?: string | undefined;
  file?: File | undefined;
  onClose: () => void;
};

/** Takes a list of links, adds it, and becomes the list of its verdicts. */
export default function AddSheet({ text, file, onClose }: AddSheetProps) {
  const { email } = useUser();
  const toast = useToast();
  const { draft, keep } = useDraft(email);
  const flow = useJob();
  const [choices, setChoices] = useState(USUAL);
  const [problem, setProblem] = useState<Error | null>(null);
  const { job } = flow;
  const isLive = job?.stage === "adding" || job?.stage === "added";
  const take = (source: Partial<Source>) => {
    setProblem(null);
    keep(source);
  };
  const takeFile = ([first, ...others]: File[]) => {
    if (others.length > 0) setProblem(new Error("Add one file at a time."));
    else if (first) readFile(first).then(take, setProblem);
  };
  const startOver = () => {
    flow.forget();
    take({});
  };
  useEffect(() => {
    if (!text && !file) return;
    if (job?.stage === "added") flow.forget();
    if (file) takeFile([file]);
    else take({ text: draft.text ? `${draft.text.trimEnd()}\n${text}` : text! });
  }, [text, file]);
  const close = () => {
    if (job?.stage === "added" && job.tally.isComplete) startOver();
    onClose();
  };
  if (isLive) {
    const undo = async () => {
      await flow.undo();
      take(job.source);
      toast("Nothing of the list is left.");
    };
    return <LiveSheet job={job} flow={flow} onUndo={undo} onMore={startOver} onClose={close} />;
  }
  return (
    <ComposeSheet
      flow={flow}
      draft={draft}
      choices={choices}
      problem={problem}
      onChoose={setChoices}
      onType={take}
      onFiles={takeFile}
      onClose={close}
    />
  );
}

type LiveProps = {
  job: Job;
  flow: ReturnType<typeof useJob>;
  onUndo: () => Promise<void>;
  onMore: () => void;
  onClose: () => void;
};

/** The verdicts of the list that is being added. */
function LiveSheet({ job, flow, onUndo, onMore, onClose }: LiveProps) {
  const { tally, stage, problem } = job;
  const [isUndoing, setUndoing] = useState(false);
  const isSending = stage === "adding" && !problem;
  const undo = () => {
    setUndoing(true);
    void onUndo().finally(() => setUndoing(false));
  };
  return (
    <Sheet
      title={
        isSending
          ? `Adding ${counted(tally.total, "link")}`
          : `${counted(tally.added, "link")} added`
      }
      onClose={onClose}
      foot={
        <>
          <Where job={job} />
          <span class="gap" />
          {isSending && !isUndoing ? (
            <Button onClick={flow.stop}>Stop</Button>
          ) : (
            <Button icon={Undo2} busy={isUndoing} onClick={undo}>
              Undo
            </Button>
          )}
          {stage === "added" && (
            <>
              <Button icon={ListPlus} onClick={onMore}>
                Add more
              </Button>
              <Button primary href={hrefOf(job)}>
                {tally.added === 1 ? "Show the link" : `Show the ${many(tally.added)} links`}
              </Button>
            </>
          )}
        </>
      }
    >
      <Progress tally={tally} />
      {problem && <Halted job={job} problem={problem} onGoOn={flow.goOn} />}
      <Verdicts ledger={job.ledger} tally={tally} />
      <NotKept job={job} />
      <Skipped job={job} />
    </Sheet>
  );
}

/** "Docs, checked daily" */
function Where({ job }: { job: Job }) {
  const groups = useGroups();
  if (!job.plan) return null;
  const { groupId, frequency } = job.plan.choices;
  const group = groups.data?.find(({ id }) => id === groupId);
  return (
    <span class="soft">
      {group ? `${group.name}, checked ${frequency}` : `Checked ${frequency}`}
    </span>
  );
}

/** Where the links are that were added. Their ids are in the order of their creation. */
function hrefOf({ ledger: { indexes } }: Job): string {
  let [first = "", last = first] = indexes.keys();
  if (indexes.size === 1) return `/links/${first}`;
  for (const id of indexes.keys()) {
    if (id < first) first = id;
    if (id > last) last = id;
  }
  return withQuery("/links", { created_from: first, created_to: last });
}

const Progress = ({ tally }: { tally: Tally }) => (
  <div class="prog">
    <TallyBar tally={tally} width="100%" />
    <p role="status">
      <b>{progressText(tally)}</b>
      {RESULTS.map(([status, name]) => (
        <span key={status}>
          <State status={status} hidden />
          {many(tally[name])} {statusText(status)}
        </span>
      ))}
    </p>
  </div>
);

const RESULTS = [
  ["active", "alive"],
  ["dead", "dead"],
  ["unknown", "unknown"],
] as const;

type HaltedProps = { job: Job; problem: Error; onGoOn: () => void };

/** Nothing is lost: what was added stays, and the rest can follow. */
function Halted({ job, problem, onGoOn }: HaltedProps) {
  const { added, total } = job.tally;
  const isStopped = problem instanceof Stopped;
  const rest = total - added;
  return (
    <div class="halted" role="alert">
      <p>
        {isStopped ? "Stopped." : problem.message}{" "}
        {rest > 0 && `${many(added)} added so far, ${many(rest)} to go.`}
      </p>
      {rest > 0 && <Button onClick={onGoOn}>{isStopped ? "Continue" : "Try again"}</Button>}
    </div>
  );
}

const SETTLES_AFTER_MS = 500;

/** The order of the rows, which changes no more often than every half second. */
function useOrder(ledger: Ledger, tally: Tally): number[] {
  const [order, setOrder] = useState(() => orderOf(ledger));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setOrder(orderOf(ledger));
    }, SETTLES_AFTER_MS);
  }, [ledger, tally]);
  useEffect(() => () => clearTimeout(timer.current), []);
  // A part that was added is in the list at once, whatever its place is going to be.
  return useMemo(
    () => (order.length === ledger.indexes.size ? order : orderOf(ledger)),
    [order, ledger, ledger.indexes.size],
  );
}

const ROW_PX = 40;
const ROW_ON_PHONE_PX = 56;

function Verdicts({ ledger, tally }: { ledger: Ledger; tally: Tally }) {
  const order = useOrder(ledger, tally);
  const [current, setCurrent] = useState(0);
  const height = matchMedia("(max-width: 720px)").matches ? ROW_ON_PHONE_PX : ROW_PX;
  return (
    <div class="a-list">
      <Rows
        label="Verdicts"
        runs={[{ count: order.length, height }]}
        current={current}
        onCurrent={setCurrent}
        itemAt={(place) => order[place]}
        attributes={(index) => ({ class: `a-row r-${stateAt(ledger, index)}` })}
      >
        {(index) => <Verdict ledger={ledger} index={index} />}
      </Rows>
    </div>
  );
}

function Verdict({ ledger, index }: { ledger: Ledger; index: number }) {
  const state = stateAt(ledger, index);
  const verdict = ledger.verdicts.get(index);
  const url = ledger.items[index]!.url;
  return (
    <>
      <span role="cell" class="a-s">
        <State status={state} />
      </span>
      <span role="cell" class="a-u">
        <Url url={url} />
      </span>
      <span role="cell" class="a-p">
        {verdict?.status === "dead" || verdict?.status === "unknown" ? (
          <Proof reason={verdict.reason} status={verdict.status} statusCode={verdict.statusCode} />
        ) : (
          <span class="soft">{state === "checking" ? "Checking" : verdict?.statusCode}</span>
        )}
      </span>
      <span role="cell" class="a-m">
        {verdict?.responseMs != null && milliseconds(verdict.responseMs)}
      </span>
    </>
  );
}
