import { useQuery } from "@tanstack/preact-query";
import { ArrowRight } from "lucide-preact";
import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useIsPhone } from "../data/browser.ts";
import { counted, many } from "../data/format.ts";
import { LINKS } from "../data/links.ts";
import {
  applyPreview,
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
import { Empty, Loaded } from "../ui/loaded.tsx";
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

function Checking({ preview: { items } }: { preview: Preview }) {
  const done = items.filter(({ verdict }) => verdict !== null).length;
  return (
    <div class="empty" role="status">
      <h1>Checking {counted(items.length, "new URL")}</h1>
      <p>{many(done)} checked. Nothing is replaced until you apply it.</p>
      <progress
        class="repair-progress"
        aria-label="Checked"
        max={Math.max(items.length, 1)}
        value={done}
      />
    </div>
  );
}

const isDone = ({ result }: PreviewItem) => result === "replaced" || result === "stored";
const idOf = ({ link_id: id }: PreviewItem) => id;

function Table({ preview: { id, items, state } }: { preview: Preview }) {
  const { picked, toggle, toggleAll } = usePicked(items);
  const canWrite = useCanWrite() && state !== "expired";
  const { route } = useLocation();
  const { off } = useOffline();
  const height = useIsPhone() ? 88 : 44;
  const open = items.filter((item) => !isDone(item));
  const chosen = open.filter((item) => picked.has(item.link_id));
  const carriedOut = useRef<PreviewItem[]>([]);
  const apply = useSave({
    change: async (ids: string[]) => {
      const { items: after } = await applyPreview(id, ids);
      carriedOut.current = after.filter((item) => ids.includes(item.link_id));
      return carriedOut.current;
    },
    said: resultText,
    undo: () => takeAllBack(carriedOut.current.filter(isDone)),
    renews: [LINKS, ["overview"], ["sources"], previewOptions(id).queryKey],
  });
  const start = () => chosen.length > 0 && !off && apply.mutate(chosen.map(idOf));
  const keys = useRowKeys(items.length, (index) => route(`/links/${items[index]!.link_id}`));
  useKeys({ x: () => toggle(items[keys.current]!) }, canWrite);
  if (items.length === 0) return <Empty title="No links to replace" />;
  return (
    <>
      <div class="tools">
        <h1 class="unseen">Preview</h1>
        <p class="repair-headline" role="status">
          {headline(items, state)}
        </p>
        {canWrite && (
          <Button
            primary
            off={off ?? (chosen.length === 0 ? "Select links to replace" : undefined)}
            busy={apply.isPending || state === "applying"}
            onClick={start}
          >
            {chosen.length > 0 ? `Replace ${counted(chosen.length, "link")}` : "Replace"}
          </Button>
        )}
      </div>
      <Rows<PreviewItem>
        class="repair-rows"
        label="Replacements"
        runs={[{ count: items.length, height }]}
        head={
          <>
            <span role="columnheader">
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
      {item.result ? <Result item={item} /> : <Check item={item} />}
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
  skipped: "Skipped",
};

const Result = ({ item: { result, error } }: { item: PreviewItem }) => (
  <span class={result === "failed" ? "repair-failed clip" : "clip"} title={error?.message}>
    {RESULTS[result!] ?? error?.message ?? "Failed"}
  </span>
);

const countOf = (items: PreviewItem[], result: string) =>
  items.filter((item) => item.result === result).length;

/** "9 links replaced, 2 stored, 1 failed." */
function resultText(items: PreviewItem[]): string {
  const parts = [
    [countOf(items, "replaced"), "replaced"],
    [countOf(items, "stored"), "stored"],
    [countOf(items, "skipped"), "skipped"],
    [countOf(items, "failed"), "failed"],
  ] as const;
  const [first, ...rest] = parts.filter(([count]) => count > 0);
  if (!first) return "Nothing was replaced.";
  const others = rest.map(([count, word]) => `${many(count)} ${word}`);
  return `${[`${counted(first[0], "link")} ${first[1]}`, ...others].join(", ")}.`;
}

function headline(items: PreviewItem[], state: string): string {
  if (state === "expired") return "This preview has expired. Start another one.";
  if (items.some(({ result }) => result)) return resultText(items);
  const alive = items.filter(({ verdict }) => verdict === "active").length;
  return `${many(alive)} of ${counted(items.length, "new URL")} ${alive === 1 ? "is" : "are"} alive.`;
}

/** Requests at a time. */
const AT_ONCE = 4;

/** Takes what an application did back, by the opposite request for each link. */
async function takeAllBack(items: PreviewItem[]): Promise<void> {
  const waiting = [...items];
  let failed = 0;
  const work = async () => {
    for (let item = waiting.pop(); item; item = waiting.pop()) {
      const mode = item.result === "stored" ? "places" : "link";
      await undoReplacement(item.link_id, mode, item.url).catch(() => failed++);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failed > 0) throw new Error(`${counted(failed, "link")} could not be taken back.`);
}
