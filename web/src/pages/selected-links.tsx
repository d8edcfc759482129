import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ChangeFrequency, DeleteMany, MoveMany } from "../components/bulk-dialogs.tsx";
import { BatchProgress, WorkProgress } from "../components/bulk-progress.tsx";
import { type BulkTask, SelectionBar } from "../components/selection-bar.tsx";
import { useToast } from "../components/toast.tsx";
import {
  type Deed,
  MOST_NAMED,
  sizeOf,
  startChecks,
  type Target,
  useWatchedBatch,
} from "../lib/bulk.ts";
import { doneWords, isGoing, useBulkWork } from "../lib/bulk-work.ts";
import { exportHref, exportIdsHref, MOST_EXPORTED_IDS } from "../lib/filter.ts";
import { conditionsOf, LINKS, type LinkFilter } from "../lib/links.ts";
import { NOTHING, pickedAmong, type Selection } from "../lib/selection.ts";

type SelectedLinksProps = {
  filter: LinkFilter;
  total: number;
  shown: string[];
  selection: Selection;
  select: (selection: Selection) => void;
};

type Task = { kind: Exclude<BulkTask, "check">; target: Target };

/** Bulk changes of the selected links, and their progress. */
export function SelectedLinks(props: SelectedLinksProps) {
  const { select } = props;
  const toast = useToast();
  const [task, setTask] = useState<Task | null>(null);
  const { batch, watch } = useWatchedBatch();
  const check = useStartChecks((id) => {
    watch(id);
    select(NOTHING);
  });
  const bulk = useBulkWork((work) => {
    if (work.state !== "finished" || work.failed > 0) return;
    toast(doneWords(work));
    bulk.dismiss();
  });
  const target = targetOf(props);
  const isSelected = sizeOf(target) > 0;
  useEscape(isSelected, () => select(NOTHING));
  useFocusKept([isSelected, task, bulk.work?.state, batch === undefined]);
  const begin = (deed: Deed) => {
    if (task) bulk.begin(deed, task.target);
    setTask(null);
    select(NOTHING);
  };
  return (
    <>
      <div class="tray">
        {batch && <BatchProgress batch={batch} onClose={() => watch(null)} />}
        {bulk.work && (
          <WorkProgress
            work={bulk.work}
            onStop={bulk.stop}
            onGoOn={bulk.goOn}
            onClose={bulk.dismiss}
          />
        )}
        {isSelected && !isGoing(bulk.work) && (
          <Bar
            {...props}
            target={target}
            onTask={(kind) => (kind === "check" ? check(target) : setTask({ kind, target }))}
          />
        )}
      </div>
      {task && <TaskDialog task={task} onConfirm={begin} onClose={() => setTask(null)} />}
    </>
  );
}

const targetOf = ({ filter, selection, total }: SelectedLinksProps): Target =>
  selection.kind === "all"
    ? { kind: "matching", conditions: conditionsOf(filter), total }
    : { kind: "ids", ids: [...selection.ids] };

type BarProps = SelectedLinksProps & { target: Target; onTask: (task: BulkTask) => void };

function Bar({ filter, total, shown, selection, select, target, onTask }: BarProps) {
  const count = sizeOf(target);
  const isPage = selection.kind === "some" && pickedAmong(selection, shown) === "all";
  return (
    <SelectionBar
      count={count}
      selectable={isPage && count === shown.length && total > count ? total : null}
      exportAt={exportOf(target, filter)}
      isTooMuch={target.kind === "ids" && count > MOST_NAMED}
      onSelectAll={() => select({ kind: "all" })}
      onTask={onTask}
      onClear={() => select(NOTHING)}
    />
  );
}

function exportOf(target: Target, filter: LinkFilter): string | null {
  if (target.kind === "matching") return exportHref(filter);
  return target.ids.length <= MOST_EXPORTED_IDS ? exportIdsHref(target.ids) : null;
}

type TaskDialogProps = { task: Task; onConfirm: (deed: Deed) => void; onClose: () => void };

function TaskDialog({ task: { kind, target }, onConfirm, onClose }: TaskDialogProps) {
  const count = sizeOf(target);
  if (kind === "delete") {
    const confirm = () => onConfirm({ kind: "delete" });
    return <DeleteMany count={count} onConfirm={confirm} onClose={onClose} />;
  }
  const Form = kind === "move" ? MoveMany : ChangeFrequency;
  return <Form count={count} onConfirm={onConfirm} onClose={onClose} />;
}

function useStartChecks(onStarted: (batchId: string) => void) {
  const toast = useToast();
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: startChecks,
    onSuccess: ({ batch_id: id, failures }) => {
      if (id) onStarted(id);
      if (!id || failures.length > 0)
        toast(failures[0]?.error.message ?? "They are being checked already.");
    },
    onError: ({ message }) => toast(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  return mutate;
}

/** When the focused element disappears, moves the focus to the head of the list. */
function useFocusKept(changes: unknown[]) {
  const isFirst = useRef(true);
  useEffect(() => {
    const isLost = document.activeElement === document.body && !isFirst.current;
    const head = document.querySelector<HTMLElement>(".list-tools input");
    if (isLost) head?.focus({ preventScroll: true });
    isFirst.current = false;
  }, changes);
}

/** Escape clears the selection, unless a dialog is open or the user is typing. */
function useEscape(isActive: boolean, onEscape: () => void) {
  // Before painting, so that the key works as soon as the selection is visible.
  useLayoutEffect(() => {
    if (!isActive) return;
    const listen = ({ key, target }: KeyboardEvent) => {
      const isTyping =
        target instanceof HTMLElement && target.matches("input[type=search], select");
      if (key === "Escape" && !isTyping && !document.querySelector("dialog[open]")) onEscape();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [isActive, onEscape]);
}
