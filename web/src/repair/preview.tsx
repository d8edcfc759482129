import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { ArrowRight, Undo2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useIsPhone } from "../data/browser.ts";
import { counted, many } from "../data/format.ts";
import { LINKS } from "../data/links.ts";
import {
  applyPreview,
  type Preview,
  type PreviewItem,
  previewOptions,
  takeBack,
} from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { reasonWords } from "../data/words.ts";
import { useBar } from "../frame/bar.tsx";
import { useKeys } from "../frame/keys.ts";
import { useRowKeys } from "../frame/row-keys.ts";
import { useOffline, useSave } from "../frame/toast.tsx";
import { changeUrl } from "../triage/requests.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Heads, Rows } from "../ui/rows.tsx";
import { Heading } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";

type FromToProps = { from: string; to: string };

/** An old address, and what stands in its place. */
export const FromTo = ({ from, to }: FromToProps) => (
  <span class="from-to">
    <span data-room>
      <Url url={from} />
    </span>
    <ArrowRight class="i" aria-label="to" />
    <span data-room>
      <Url url={to} />
    </span>
  </span>
);

/** What would be replaced, then what was. */
export function PreviewPage({ id }: { id: string }) {
  useBar({ crumbs: [{ label: "Repair", href: "/repair" }, { label: "Preview" }] });
  const preview = useQuery(previewOptions(id));
  return (
    <div class="list">
      <div class="list-in">
        <Loaded query={preview} heading="Preview">
          {(found) =>
            found.state === "checking" ? <Checking preview={found} /> : <Table preview={found} />
          }
        </Loaded>
      </div>
    </div>
  );
}

function Checking({ preview: { items } }: { preview: Preview }) {
  const done = items.filter(({ verdict }) => verdict !== null).length;
  return (
    <div class="pad narrow" role="status">
      <Heading title={`Checking ${counted(items.length, "new URL")}`}>
        {many(done)} checked so far. Nothing is replaced before you say so.
      </Heading>
      <progress aria-label="New URLs checked" max={Math.max(items.length, 1)} value={done} />
    </div>
  );
}

const isDone = ({ state }: PreviewItem) => state === "replaced" || state === "stored";

function Table({ preview }: { preview: Preview }) {
  const { id, items, state } = preview;
  const [picked, pick] = useState(() => new Set(items.filter(({ selected }) => selected).map(({ link_id }) => link_id)));
  const canWrite = useCanWrite() && state !== "expired";
  const client = useQueryClient();
  const { off, unlessOff } = useOffline();
  const done = items.filter(isDone);
  const open = items.filter((item) => !isDone(item) && picked.has(item.link_id));
  const renews = [LINKS, ["overview"], previewOptions(id).queryKey];
  const back = useBack(id);
  const apply = useSave({
    change: () => applyPreview(id, open.map(({ link_id }) => link_id)),
    said: (after) => resultText(after.items),
    undo: () => back(open.filter((item) => item)),
    renews,
  });
  const toggle = (item: PreviewItem | undefined) => {
    if (!item || isDone(item)) return;
    const next = new Set(picked);
    if (!next.delete(item.link_id)) next.add(item.link_id);
    pick(next);
  };
  const keys = useRowKeys(items.length, (index) => toggle(items[index]));
  useKeys({ x: () => toggle(items[keys.current]) }, canWrite);
  void client;
  return (
    <>
      <div class="tools">
        <h1 class="unseen">Preview</h1>
        <span role="status">{headOf(preview)}</span>
        <span class="gap" />
        {canWrite && (
          <Button
            primary
            off={off ?? (open.length === 0 ? "Select links to replace" : undefined)}
            busy={apply.isPending || state === "applying"}
            onClick={unlessOff(() => apply.mutate())}
          >
            Replace {counted(open.length, "link")}
          </Button>
        )}
      </div>
      <Rows<PreviewItem>
        class="preview"
        label="Replacements"
        runs={[{ count: items.length, height: useIsPhone() ? 84 : 44 }]}
        head={<Heads names={["", "Link", "Replacement", "Check"]} times={[]} />}
        itemAt={(index) => items[index]}
        {...keys}
      >
        {(item) => <Cells item={item} isPicked={picked.has(item.link_id)} onPick={canWrite && !isDone(item) ? () => toggle(item) : undefined} onUndo={canWrite && isDone(item) ? () => back([item]) : undefined} />}
      </Rows>
      <p class="listfoot">
        <span>{counted(items.length, "link")}</span>
        {done.length > 0 && <span>{many(done.length)} replaced</span>}
      </p>
    </>
  );
}
