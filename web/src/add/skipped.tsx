import { ChevronRight, Copy, Download } from "lucide-preact";
import { useRef } from "preact/hooks";
import { cellsOf, type Noted, notKeptText } from "../../../server/read/lists/noted.ts";
import type { Import } from "../data/adding.ts";
import { copyFrom } from "../data/browser.ts";
import { counted, many } from "../data/format.ts";
import { useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { type ImportItem, readRefused, SKIPPED, useItems } from "./items.ts";
import type { Job } from "./job.ts";
import { isBareAddress, withHttp } from "./source.ts";

/** Fewer are shown at once. */
const FEW = 5;

export const countSkipped = ({ counts }: Import) =>
  counts.already_there + counts.duplicate + counts.refused;

type SkippedProps = {
  job: Job;
  /** Takes the corrected text; without it, nothing can be corrected any more. */
  onText?: (text: string) => void;
};

/** The lines that are not added, and why. */
export const Skipped = ({ job, onText }: SkippedProps) =>
  job.import && countSkipped(job.import) > 0 ? (
    <SkippedLines read={job.import} text={job.source?.text ?? ""} onText={onText} />
  ) : null;

type LinesProps = { read: Import; text: string; onText: SkippedProps["onText"] };

function SkippedLines({ read, text, onText }: LinesProps) {
  const count = countSkipped(read);
  const { items } = useItems(read, { outcome: SKIPPED });
  return (
    <details class="left" open={onText !== undefined && count <= FEW}>
      <summary>
        <ChevronRight class="i" aria-hidden="true" />
        {counted(count, "line")} skipped
      </summary>
      {onText && <Http items={items} onUse={(urls) => onText(withHttp(text, urls))} />}
      <ul aria-label="Skipped lines">
        {items.map((item) => (
          <Line key={item.line + item.url} item={item} />
        ))}
      </ul>
      {count > items.length && items.length > 0 && (
        <p class="soft">And {many(count - items.length)} more.</p>
      )}
      {read.counts.refused > 0 && <Refused read={read} />}
    </details>
  );
}

/** What the list says of its links and they do not get: remarks about all of it, and line by line. */
export function NotKept({ job: { source, import: read } }: { job: Job }) {
  if (!read) return null;
  return (
    <>
      {[...(source?.notes ?? []), ...read.notes].map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      <LinesNotKept read={read} />
    </>
  );
}

function LinesNotKept({ read }: { read: Import }) {
  const which = { outcome: "waiting,new,created", not_kept: "true" };
  const { items, total } = useItems(read, which);
  if (items.length === 0) return null;
  return (
    <details class="left">
      <summary>
        <ChevronRight class="i" aria-hidden="true" />
        Not everything of {counted(total, "line")} is kept
      </summary>
      <ul aria-label="Not kept">
        {items.map(({ line, url, not_kept }) => (
          <li key={line + url}>
            <span class="soft">line {many(line)}</span>
            <code title={url}>{url}</code>
            <span>
              Not kept: {notKeptText(not_kept.map(({ field, reason: why }) => ({ field, why })))}.
            </span>
          </li>
        ))}
      </ul>
      {total > items.length && <p class="soft">And {many(total - items.length)} more.</p>}
    </details>
  );
}

const Line = ({ item }: { item: ImportItem }) => (
  <li>
    <span class="soft">line {many(item.line)}</span>
    <code title={item.url}>{item.url || "(nothing)"}</code>
    <span>
      <Why item={item} />
    </span>
  </li>
);

function Why({
  item: { outcome, link_id: id, duplicate_of: first, reason },
}: {
  item: ImportItem;
}) {
  if (outcome === "already_there") {
    return (
      <>
        Already in your links. <a href={`/links/${id}`}>Show</a>
      </>
    );
  }
  return <>{first === null ? reason : `Duplicate of line ${many(first)}.`}</>;
}

type HttpProps = { items: ImportItem[]; onUse: (urls: string[]) => void };

/** Offers http for addresses without a scheme, such as `127.0.0.1:8080`. */
function Http({ items, onUse }: HttpProps) {
  const urls = items.map(({ url }) => url).filter(isBareAddress);
  if (urls.length === 0) return null;
  return (
    <Button onClick={() => onUse(urls)}>
      {urls.length === 1 ? `Use http://${urls[0]}` : `Use http for ${many(urls.length)} lines`}
    </Button>
  );
}

/** Gives the rejected lines back, to be corrected elsewhere. */
function Refused({ read }: { read: Import }) {
  const toast = useToast();
  const field = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    const refused = await readRefused(read);
    const { current } = field;
    if (!current) return;
    current.value = refused.map(({ url }) => url).join("\n");
    const isCopied = await copyFrom(current);
    current.value = "";
    toast(isCopied ? "Copied" : "Copying failed in this browser. Download them instead.");
  };
  return (
    <p class="give">
      <Button icon={Copy} onClick={copy}>
        Copy rejected lines
      </Button>
      <Button icon={Download} onClick={async () => saveTable(await readRefused(read))}>
        Download with reasons
      </Button>
      <textarea ref={field} class="unseen" tabIndex={-1} aria-hidden="true" readOnly />
    </p>
  );
}

/** Text that a spreadsheet would run as a formula, including full-width characters. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Saves a CSV file that can be corrected and added again. */
async function saveTable(refused: ImportItem[]): Promise<void> {
  const { default: Papa } = await import("papaparse");
  const cells = refused.map(({ noted }) => cellsOf(noted as Noted));
  const names = Object.keys(cellsOf()).filter((name) => cells.some((row) => row[name] !== ""));
  const rows = refused.map(({ line, url, group, check_frequency, reason }, row) => {
    const noted = Object.fromEntries(names.map((name) => [name, cells[row]?.[name]]));
    return { line, url, group, check_frequency, ...noted, problem: reason ?? "" };
  });
  // Quotes every cell, as exports do.
  const text = Papa.unparse(rows, { quotes: true, escapeFormulae: FORMULA });
  const href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href, download: "skipped-links.csv" }).click();
  URL.revokeObjectURL(href);
}
