import { useQuery } from "@tanstack/preact-query";
import { ListPlus, Undo2 } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { checkedIn, type Import, isLive, type Tally, tallyOf } from "../data/adding.ts";
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
import { endsOf, type ImportItem, useCreated } from "./items.ts";
import { type Job, USUAL, useJob } from "./job.ts";
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
  const live = job?.import && isLive(job.import) ? job.import : null;
  const isAdded = live?.status === "complete";
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
    if (isAdded) flow.forget();
    if (file) takeFile([file]);
    else take({ text: draft.text ? `${draft.text.trimEnd()}\n${text}` : text! });
  }, [text, file]);
  const close = () => {
    if (live && tallyOf(live).isComplete) startOver();
    onClose();
  };
  const isUndoing = useRef(false);
  useEffect(() => {
    const wasUndoing = isUndoing.current;
    isUndoing.current = live?.status === "undoing";
    if (!wasUndoing || job?.import?.status !== "ready") return;
    take(job.source ?? {});
    toast("Nothing of the list is left.");
  }, [job?.import?.status]);
  if (job && live)
    return <LiveSheet job={job} read={live} flow={flow} onMore={startOver} onClose={close} />;
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
  read: Import;
  flow: ReturnType<typeof useJob>;
  onMore: () => void;
  onClose: () => void;
};

/** The verdicts of the list that is being added. */
function LiveSheet({ job, read, flow, onMore, onClose }: LiveProps) {
  const tally = tallyOf(read);
  const isSending = read.status === "adding";
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
          <Where read={read} />
          <span class="gap" />
          {isSending ? (
            <Button onClick={flow.stop}>Stop</Button>
          ) : (
            <Button icon={Undo2} busy={read.status === "undoing"} onClick={flow.undo}>
              Undo
            </Button>
          )}
          {read.status === "complete" && (
            <>
              <Button icon={ListPlus} onClick={onMore}>
                Add more
              </Button>
              <ShowLinks read={read} />
            </>
          )}
        </>
      }
    >
      <Progress tally={tally} />
      {(job.problem || read.status === "stopped") && (
        <Halted read={read} problem={job.problem} onGoOn={flow.goOn} />
      )}
      <Verdicts read={read} />
      <NotKept job={job} />
      <Skipped job={job} />
    </Sheet>
  );
}

/** "Docs, checked daily" */
function Where({ read: { group: wanted, check_frequency: frequency } }: { read: Import }) {
  const groups = useGroups();
  const group = groups.data?.find(({ id, name }) => id === wanted || name === wanted);
  return (
    <span class="soft">
      {group ? `${group.name}, checked ${frequency}` : `Checked ${frequency}`}
    </span>
  );
}

/** Leads to the links that were added. Their ids are in the order of their creation. */
function ShowLinks({ read }: { read: Import }) {
  const { id, counts } = read;
  const queryKey = ["imports", "ends", id];
  const { data } = useQuery({ queryKey, queryFn: () => endsOf(read), enabled: counts.created > 0 });
  if (!data) return null;
  const [first, last] = data;
  const href =
    counts.created === 1
      ? `/links/${first}`
      : withQuery("/links", { created_from: first, created_to: last });
  return (
    <Button primary href={href}>
      {counts.created === 1 ? "Show the link" : `Show the ${many(counts.created)} links`}
    </Button>
  );
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

type HaltedProps = { read: Import; problem: Error | null; onGoOn: () => void };

/** Nothing is lost: what was added stays, and the rest can follow. */
function Halted({ read, problem, onGoOn }: HaltedProps) {
  const { added, total } = tallyOf(read);
  const why = problem?.message ?? read.problem;
  const rest = total - added;
  return (
    <div class="halted" role="alert">
      <p>
        {why ?? "Stopped."} {rest > 0 && `${many(added)} added so far, ${many(rest)} to go.`}
      </p>
      {rest > 0 && <Button onClick={onGoOn}>{why === null ? "Continue" : "Try again"}</Button>}
    </div>
  );
}

const ROW_PX = 40;
const ROW_ON_PHONE_PX = 56;

function Verdicts({ read }: { read: Import }) {
  const [current, setCurrent] = useState(0);
  const [shown, setShown] = useState<readonly [number, number]>([0, 0]);
  const itemAt = useCreated(read, shown);
  const height = matchMedia("(max-width: 720px)").matches ? ROW_ON_PHONE_PX : ROW_PX;
  return (
    <div class="a-list">
      <Rows
        label="Verdicts"
        runs={[{ count: read.counts.created, height }]}
        current={current}
        onCurrent={setCurrent}
        onShow={(first, last) => setShown([first, last])}
        itemAt={itemAt}
        attributes={(item) => ({ class: `a-row r-${stateOf(item)}` })}
      >
        {(item) => <Verdict item={item} />}
      </Rows>
    </div>
  );
}

const stateOf = ({ check }: ImportItem) => check?.status ?? "waiting";

function Verdict({ item }: { item: ImportItem }) {
  const { url, check } = item;
  const state = stateOf(item);
  return (
    <>
      <span role="cell" class="a-s">
        <State status={state} />
      </span>
      <span role="cell" class="a-u">
        <Url url={url} />
      </span>
      <span role="cell" class="a-p">
        {check?.reason && (state === "dead" || state === "unknown") ? (
          <Proof reason={check.reason} status={state} statusCode={check.status_code} />
        ) : (
          <span class="soft">{state === "checking" ? "Checking" : check?.status_code}</span>
        )}
      </span>
      <span role="cell" class="a-m">
        {check?.response_time_ms != null && milliseconds(check.response_time_ms)}
      </span>
    </>
  );
}

/** "13 of 18 checked", "All 18 checked" */
function progressText(tally: Tally): string {
  const shown = tally.total.toLocaleString("en");
  if (tally.isComplete) return `All ${shown} checked`;
  return `${checkedIn(tally).toLocaleString("en")} of ${shown} checked`;
}
