import { Clock, Download, FolderInput, RefreshCw, Trash2, X } from "lucide-preact";
import { useState } from "preact/hooks";
import { FREQUENCIES, type Frequency } from "../../../server/ground/lib/vocabulary.ts";
import {
  type Change,
  doingWords,
  doneWords,
  isGoing,
  reachedOf,
  startChecks,
  useBulkWork,
  type Work,
} from "../data/bulk.ts";
import { exportHref, exportIdsHref, MOST_EXPORTED_IDS } from "../data/filter.ts";
import { counted, many } from "../data/format.ts";
import type { ListedLink } from "../data/link-rows.ts";
import { conditionsOf, type LinkFilter } from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { NOTHING, type Selection, sizeOf } from "../data/selection.ts";
import { FREQUENCY_WORDS } from "../data/words.ts";
import { Ask } from "../frame/ask.tsx";
import { useToast } from "../frame/toast.tsx";
import { TriagePicks } from "../triage/picks.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { GroupPick } from "../ui/group-pick.tsx";
import { Pick } from "../ui/menu.tsx";
import type { useLinkActions } from "./actions.ts";

type BarProps = {
  filter: LinkFilter;
  total: number;
  selection: Selection;
  select: (selection: Selection) => void;
  actions: ReturnType<typeof useLinkActions>;
  onRemove: (links: ListedLink[]) => void;
  /** After the selected links were acknowledged, muted or reopened. */
  onDecided: (links: ListedLink[]) => void;
};

/** What can be done with the selected links, at the bottom; also the progress of what is done with all that match. */
export default function SelectionBar(props: BarProps) {
  const { filter, total, selection, select, actions, onRemove, onDecided } = props;
  const toast = useToast();
  const [asked, setAsked] = useState<Change | null>(null);
  const bulk = useBulkWork((work) => {
    if (work.state !== "finished" || work.failed > 0) return;
    toast(doneWords(work));
    bulk.dismiss();
  });
  const count = sizeOf(selection, total);
  const target = { kind: "matching" as const, conditions: conditionsOf(filter), total };
  const apply = (change: Change) => {
    if (selection.kind === "all") return setAsked(change);
    const links = [...selection.links.values()];
    if (change.kind === "delete") onRemove(links);
    else void actions.change(links, change);
    select(NOTHING);
    if (change.kind === "triage" && change.decision.handling) onDecided(links);
  };
  const check = () => {
    if (selection.kind === "some") void actions.check([...selection.links.values()]);
    else
      startChecks(target).then(
        () => toast(`Checking ${counted(total, "link")}.`),
        ({ message }: Error) => toast(message),
      );
    select(NOTHING);
  };
  const confirm = () => {
    if (asked) void bulk.begin(asked, target);
    setAsked(null);
    select(NOTHING);
  };
  return (
    <>
      {bulk.work && <Progress {...bulk} work={bulk.work} />}
      {count > 0 && !isGoing(bulk.work) && (
        <div class="selbar" role="toolbar" aria-label={`${many(count)} selected`}>
          <b role="status">{many(count)} selected</b>
          <Tasks selection={selection} filter={filter} apply={apply} check={check} />
          {selection.kind === "some" && total > count && (
            <Button quiet onClick={() => select({ kind: "all" })}>
              Select all {many(total)}
            </Button>
          )}
          <span class="sep" />
          <IconButton icon={X} label="Clear" keys="Esc" onClick={() => select(NOTHING)} />
        </div>
      )}
      {asked && (
        <AskFirst change={asked} count={total} onConfirm={confirm} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

type TasksProps = {
  selection: Selection;
  filter: LinkFilter;
  apply: (change: Change) => void;
  check: () => void;
};

function Tasks({ selection, filter, apply, check }: TasksProps) {
  const off = useOff();
  const frequencies = FREQUENCIES.map((value) => ({ value, label: FREQUENCY_WORDS[value] }));
  return (
    <>
      <Button icon={RefreshCw} keys="R" off={off} onClick={check}>
        Check now
      </Button>
      {filter.identity && (
        <Button off={off} onClick={() => apply({ kind: "accept" })}>
          This is right now
        </Button>
      )}
      <TriagePicks
        links={selection.kind === "all" ? null : [...selection.links.values()]}
        off={off}
        onChange={apply}
      />
      <GroupPick
        label="Move to a group"
        class="btn task-move"
        off={off}
        value={null}
        icon={FolderInput}
        button="Move"
        none="No group"
        onPick={(group) => apply({ kind: "move", group })}
      />
      <Pick<Frequency>
        label="Change the check frequency"
        class="btn task-frequency"
        off={off}
        value={null}
        icon={Clock}
        button={<span>Frequency</span>}
        options={frequencies}
        onPick={(frequency) => apply({ kind: "frequency", frequency })}
      />
      <Export selection={selection} filter={filter} off={off} />
      <IconButton
        icon={Trash2}
        label="Delete"
        keys="#"
        off={off}
        onClick={() => apply({ kind: "delete" })}
      />
    </>
  );
}

type ExportProps = Pick2<"selection" | "filter"> & { off: string | undefined };

/** Stays in its place when there are too many for an address, and says why. */
function Export({ selection, filter, off }: ExportProps) {
  const ids = selection.kind === "some" ? [...selection.links.keys()] : [];
  const tooMany =
    ids.length > MOST_EXPORTED_IDS
      ? `Up to ${MOST_EXPORTED_IDS} named links can be exported; select all that match instead`
      : undefined;
  const href = selection.kind === "all" ? exportHref(filter) : exportIdsHref(ids);
  return (
    <Button
      icon={Download}
      class="task-export"
      off={off ?? tooMany}
      href={href}
      download
      title="Export as CSV"
    >
      Export
    </Button>
  );
}

type Pick2<Name extends keyof TasksProps> = { [Each in Name]: TasksProps[Each] };

type AskFirstProps = {
  change: Change;
  count: number;
  onConfirm: () => void;
  onClose: () => void;
};

/** Before a change of all that match, which cannot be undone. A deletion wants their number. */
function AskFirst({ change, count, onConfirm, onClose }: AskFirstProps) {
  const [typed, setTyped] = useState("");
  const isDeletion = change.kind === "delete";
  const action = actionOf(change, counted(count, "link"));
  return (
    <Ask
      title={`${action}?`}
      action={action}
      danger={isDeletion}
      isDisabled={isDeletion && Number(typed.replace(/\D/g, "")) !== count}
      send={async () => onConfirm()}
      onClose={onClose}
    >
      <p>{isDeletion ? "This also deletes their history. " : ""}This cannot be undone.</p>
      {isDeletion && (
        <TextField
          label={`To confirm, type their number: ${many(count)}`}
          inputMode="numeric"
          autoComplete="off"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      )}
    </Ask>
  );
}

function actionOf(change: Change, links: string): string {
  if (change.kind === "delete") return `Delete ${links}`;
  if (change.kind === "frequency") return `Change ${links} to ${change.frequency} checks`;
  if (change.kind === "accept") return `Accept what ${links} lead to now`;
  if (change.kind === "triage") return change.ask(links);
  return change.group ? `Move ${links} to ${change.group.name}` : `Take ${links} out of groups`;
}

type ProgressProps = {
  work: Work;
  stop: () => void;
  goOn: () => void;
  dismiss: () => void;
};

const Progress = ({ work, stop, goOn, dismiss }: ProgressProps) => {
  const { reached, total } = reachedOf(work);
  const again = { stopped: "Go on", refused: "Try again" }[work.state as string];
  return (
    <section class="selbar progress" aria-label={doingWords(work.change)}>
      <div role="status">
        {isGoing(work) ? <p>{doingWords(work.change)}</p> : <Ended work={work} />}
      </div>
      <progress aria-label={doingWords(work.change)} max={Math.max(total, 1)} value={reached} />
      <span>
        {many(reached)} of {many(total)}
      </span>
      {isGoing(work) && (
        <Button disabled={work.state === "stopping"} onClick={stop}>
          {work.state === "stopping" ? "Stopping…" : "Stop"}
        </Button>
      )}
      {again && (
        <Button primary onClick={goOn}>
          {again}
        </Button>
      )}
      {!isGoing(work) && <Button onClick={dismiss}>Close</Button>}
    </section>
  );
};

const Ended = ({ work }: { work: Work }) => (
  <>
    {work.error && <p class="problem">{work.error.message}</p>}
    <p>{doneWords(work)}</p>
    {work.reasons.size > 0 && (
      <ul>
        {[...work.reasons].map(([reason, count]) => (
          <li key={reason}>
            {counted(count, "link")}: {reason}
          </li>
        ))}
      </ul>
    )}
  </>
);
