import { Clock, Download, FolderInput, type LucideIcon, RefreshCw, Trash2, X } from "lucide-preact";
import { MOST_NAMED } from "../lib/bulk.ts";
import { counted } from "../lib/format.ts";
import { IconButton } from "./elements.tsx";

export type BulkTask = "check" | "move" | "frequency" | "delete";

type SelectionBarProps = {
  count: number;
  /** Number of matching links, while exactly the whole page is selected. */
  selectable: number | null;
  /** Null if there are too many ids for an address. */
  exportAt: string | null;
  /** Whether more links are selected than one request may name. */
  isTooMuch: boolean;
  onSelectAll: () => void;
  onTask: (task: BulkTask) => void;
  onClear: () => void;
};

export function SelectionBar(props: SelectionBarProps) {
  const all = counted(props.count, "link");
  const are = props.count === 1 ? "is" : "are";
  return (
    <section class="selection-bar" aria-label="Selected links">
      <SelectedCount {...props} />
      <div class="bar-deeds">
        <Deed name="Check" full={`Check ${all} now`} task="check" Icon={RefreshCw} {...props} />
        <Deed
          name="Move"
          full={`Move ${all} to a group`}
          task="move"
          Icon={FolderInput}
          {...props}
        />
        <Deed
          name="Frequency"
          full={`Frequency: change how often ${all} ${are} checked`}
          task="frequency"
          Icon={Clock}
          {...props}
        />
        <Deed name="Delete" full={`Delete ${all}`} task="delete" Icon={Trash2} {...props} />
        <Export at={props.exportAt} />
      </div>
      <IconButton
        label="Clear the selection"
        title="Clear the selection (Esc)"
        icon={X}
        aria-keyshortcuts="Escape"
        onClick={props.onClear}
      />
    </section>
  );
}

const SelectedCount = ({ count, selectable, isTooMuch, onSelectAll }: SelectionBarProps) => (
  <div class="bar-text">
    <p role="status">
      {selectable ? (
        <>
          All <b>{count.toLocaleString("en")}</b> on this page are selected.
        </>
      ) : (
        <>
          <b>{counted(count, "link")}</b> selected.
        </>
      )}
      {isTooMuch &&
        ` Links can be picked one by one up to ${MOST_NAMED.toLocaleString("en")}: narrow the list, and select all that match.`}
    </p>
    {selectable && (
      <button type="button" class="text" onClick={onSelectAll}>
        Select all {selectable.toLocaleString("en")} that match
      </button>
    )}
  </div>
);

type DeedProps = {
  /** Visible label. */
  name: string;
  /** Complete label. */
  full: string;
  task: BulkTask;
  Icon: LucideIcon;
} & Pick<SelectionBarProps, "isTooMuch" | "onTask">;

const Deed = ({ name, full, task, Icon, isTooMuch, onTask }: DeedProps) => (
  <button
    type="button"
    aria-label={full}
    title={full}
    class={task === "delete" ? "grave" : undefined}
    disabled={isTooMuch}
    onClick={() => onTask(task)}
  >
    <Icon aria-hidden="true" />
    <span>{name}</span>
  </button>
);

/** Stays in its place when disabled, and says why. */
const Export = ({ at }: { at: string | null }) =>
  at ? (
    <a class="button" href={at} download title="Export as CSV">
      <Download aria-hidden="true" />
      <span>Export</span>
    </a>
  ) : (
    <button
      type="button"
      disabled
      title="Up to 100 picked links can be exported; narrow the list and export all that match"
    >
      <Download aria-hidden="true" />
      <span>Export</span>
    </button>
  );
