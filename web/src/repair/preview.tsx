import { useQuery } from "@tanstack/preact-query";
import { ArrowRight } from "lucide-preact";
import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useIsPhone } from "../data/browser.ts";
import { counted, many } from "../data/format.ts";
import { LINKS } from "../data/links.ts";
import {
  applyPreview,
  discardPreview,
  type Preview,
  type PreviewItem,
  previewOptions,
  undoReplacement,
} from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { reasonWords } from "../data/words.ts";
import { useBar } from "../frame/bar.tsx";
import { useKeys } from "../frame/keys.ts";
import { useRowKeys } from "../frame/row-keys.ts";
import { useOffline, useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Heads, Rows } from "../ui/rows.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";

/** An old prefix, and what stands in its place. */
export const FromTo = ({ from, to }: { from: string; to: string }) => (
  <span class="repair-rule">
    <Url url={from} whole />
    <ArrowRight class="i" aria-label="to" />
    <Url url={to} whole />
  </span>
);

/** What would be replaced, then what was. */
export function PreviewPage({ id }: { id: string }) {
  const crumbs = [
    { label: "Overview", href: "/" },
    { label: "Repair", href: "/repair" },
  ];
  useBar({ crumbs: [...crumbs, { label: "Preview" }] });
  const preview = useQuery(previewOptions(id));
  return (
    <div class="list">
      <div class="list-in">
        <Loaded query={preview} heading="Preview">
          {(found) =>
            found.state === "checking" ? (
              <Checking preview={found} />
            ) : (
              <Table key={found.id} preview={found} />
            )
          }
        </Loaded>
      </div>
    </div>
  );
}

function Checking({ preview: { counts } }: { preview: Preview }) {
  const { total, checked } = counts;
  return (
    <div class="empty" role="status">
      <h1>Checking {counted(total, "new URL")}</h1>
      <p>{many(checked)} checked. Nothing is replaced until you apply it.</p>
      <progress
        class="repair-progress"
        aria-label="Checked"
        max={Math.max(total, 1)}
        value={checked}
      />
    </div>
  );
}

type Result = Pick<PreviewItem, "link_id" | "result" | "error">;

const isDone = ({ result }: Pick<PreviewItem, "result">) =>
  result !== null && result !== "failed" && result !== "skipped";
const idOf = ({ link_id: id }: PreviewItem) => id;

function Table({ preview }: { preview: Preview }) {
  const { items, state } = preview;
  const { picked, toggle, toggleAll } = usePicked(items);
  const { route } = useLocation();
  const canWrite = useCanWrite() && state !== "expired";
  const height = useIsPhone() ? 88 : 44;
  const open = items.filter((item) => !isDone(item));
  const chosen = open.filter((item) => picked.has(item.link_id));
  const keys = useRowKeys(items.length, (index) => route(`/links/${items[index]!.link_id}`));
  useKeys({ x: () => toggle(items[keys.current]!) }, canWrite);
  return (
    <>
      <div class="tools">
        <h1 class="unseen">Preview</h1>
        <p class="repair-headline" role="status">
          {headline(preview)}
        </p>
        {canWrite && open.length > 0 && <Deeds preview={preview} chosen={chosen.map(idOf)} />}
      </div>
      <Rows<PreviewItem>
        class="repair-rows"
        label="Replacements"
        runs={[{ count: items.length, height }]}
        head={
          <>
            <span role="columnheader" class="repair-x">
              {canWrite && open.length > 0 && (
                <input
                  type="checkbox"
                  aria-label="Select all"
                  checked={chosen.length === open.length}
                  onClick={() => toggleAll(chosen.length < open.length ? open : [])}
                />
              )}
            </span>
            <Heads names={["Link", "Replacement", "Check"]} times={[]} />
          </>
        }
        itemAt={(index) => items[index]}
        {...keys}
      >
        {(item) => (
          <Cells
            item={item}
            isPicked={picked.has(item.link_id)}
            onPick={canWrite && !isDone(item) ? () => toggle(item) : undefined}
          />
        )}
      </Rows>
      <p class="listfoot">
        <span>{counted(items.length, "link")}</span>
        <span>
          <kbd>x</kbd> selects, <kbd>Enter</kbd> opens the link.
        </span>
      </p>
    </>
  );
}

/** @param chosen ids of links */
function Deeds({ preview: { id, items, state }, chosen }: { preview: Preview; chosen: string[] }) {
  const { off } = useOffline();
  const { route } = useLocation();
  const applied = useRef<Result[]>([]);
  const leave = () => location.search.includes(id) && route("/repair");
  const renews = [LINKS, ["overview"], ["sources"], ["replacements"]];
  const apply = useSave({
    change: async () => {
      applied.current = (await applyPreview(id, chosen)).results;
      return applied.current;
    },
    said: resultText,
    undo: async () => {
      await takeAllBack(items, applied.current);
      // What was carried out once is not carried out again.
      await discardPreview(id);
      leave();
    },
    renews,
  });
  const discard = useSave({
    change: () => discardPreview(id).then(leave),
    said: "The preview was discarded.",
    renews: [["replacements"]],
  });
  return (
    <>
      <Button off={off} busy={discard.isPending} onClick={() => discard.mutate()}>
        Discard
      </Button>
      <Button
        primary
        off={off ?? (chosen.length === 0 ? "Select links to replace" : undefined)}
        busy={apply.isPending || state === "applying"}
        onClick={() => apply.mutate()}
      >
        {chosen.length > 0 ? `Replace ${counted(chosen.length, "link")}` : "Replace"}
      </Button>
    </>
  );
}

/** Which are to be replaced: at first those that the server proposes. */
function usePicked(items: PreviewItem[]) {
  const [picked, pick] = useState(
    () => new Set(items.filter(({ selected }) => selected).map(idOf)),
  );
  const toggle = (item: PreviewItem) => {
    if (isDone(item)) return;
    const next = new Set(picked);
    if (!next.delete(item.link_id)) next.add(item.link_id);
    pick(next);
  };
  return { picked, toggle, toggleAll: (all: PreviewItem[]) => pick(new Set(all.map(idOf))) };
}

type CellsProps = { item: PreviewItem; isPicked: boolean; onPick: (() => void) | undefined };

const Cells = ({ item, isPicked, onPick }: CellsProps) => (
  <>
    <span role="cell" class="repair-x">
      {onPick && (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${item.url}`}
          checked={isPicked}
          onClick={onPick}
        />
      )}
    </span>
    <span role="cell" class="repair-url" data-room>
      <a href={`/links/${item.link_id}`} tabIndex={-1}>
        <Url url={item.url} column="old" />
      </a>
    </span>
    <span role="cell" class="repair-url" data-room>
      <Url url={item.new_url} column="new" />
    </span>
    <span role="cell" class="repair-check">
      {item.result ? <Outcome item={item} /> : <Check item={item} />}
    </span>
  </>
);

const MATCHES = { yes: "same page", no: "another page", unknown: "not compared" };

function Check({ item: { verdict, reason, matches } }: { item: PreviewItem }) {
  if (!verdict) return <span class="soft">Not checked</span>;
  const isAlive = verdict === "active";
  return (
    <>
      <State status={verdict} word={isAlive} />
      <span class="soft clip">{isAlive ? matches && MATCHES[matches] : reasonWords(reason!)}</span>
    </>
  );
}

const RESULTS: Record<string, string> = {
  replaced: "Replaced",
  stored: "Stored, edit its places",
  merged: "Merged with the link that has it",
  skipped: "Nothing to do",
};

const Outcome = ({ item: { result, error } }: { item: PreviewItem }) => (
  <span class={result === "failed" ? "repair-failed clip" : "clip"} title={error?.message}>
    {RESULTS[result!] ?? error?.message ?? "Failed"}
  </span>
);

const WORDS = ["replaced", "stored", "merged", "skipped", "failed"] as const;

/** "9 links replaced, 2 stored, 1 failed." */
function resultText(results: Pick<Result, "result">[]): string {
  const counts = WORDS.map(
    (word) => [word, results.filter(({ result }) => result === word).length] as const,
  );
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([word, count], n) => `${n === 0 ? counted(count, "link") : many(count)} ${word}`);
  return parts.length > 0 ? `${parts.join(", ")}.` : "Nothing was replaced.";
}

function headline({ state, items, counts }: Preview): string {
  if (state === "expired") return "This preview has expired. Start another one.";
  if (items.some(({ result }) => result)) return resultText(items);
  const alive = items.filter(({ verdict }) => verdict === "active").length;
  return `${many(alive)} of ${counted(counts.total, "new URL")} ${alive === 1 ? "is" : "are"} alive.`;
}

/** Requests at a time. */
const AT_ONCE = 4;

/** Takes what was carried out back, by the opposite request for each link. */
async function takeAllBack(items: PreviewItem[], results: Result[]): Promise<void> {
  const urlOf = new Map(items.map(({ link_id: id, url }) => [id, url]));
  const waiting = results.filter(isDone);
  let failed = 0;
  const work = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { link_id: id, result } = next;
      const mode = result === "replaced" ? "link" : "places";
      await undoReplacement(id, mode, urlOf.get(id)!).catch(() => failed++);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failed > 0) throw new Error(`${counted(failed, "link")} could not be taken back.`);
}
