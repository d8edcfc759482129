import { ChevronRight, Copy, Download } from "lucide-preact";
import { useRef } from "preact/hooks";
import { cellsOf, notKeptText } from "../../../server/imports/noted.ts";
import type { Item } from "../../../server/imports/reading.ts";
import { copyFrom } from "../data/browser.ts";
import { counted, many } from "../data/format.ts";
import { useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import type { Job } from "./job.ts";
import { countSkipped, type Ledger, notKeptIn, outcomeAt, skippedIn } from "./ledger.ts";
import { isBareAddress, withHttp } from "./source.ts";

/** More are in the file that can be saved. */
const MOST_SHOWN = 100;
/** Fewer are shown at once. */
const FEW = 5;

type SkippedProps = {
  job: Job;
  /** Takes the corrected text; without it, nothing can be corrected any more. */
  onText?: (text: string) => void;
};

/** The lines that are not added, and why. */
export function Skipped({ job, onText }: SkippedProps) {
  const { ledger, source } = job;
  const count = countSkipped(ledger);
  if (count === 0) return null;
  const shown = skippedIn(ledger, MOST_SHOWN);
  return (
    <details class="left" open={onText !== undefined && count <= FEW}>
      <summary>
        <ChevronRight class="i" aria-hidden="true" />
        {counted(count, "line")} skipped
      </summary>
      {onText && <Http ledger={ledger} onUse={(urls) => onText(withHttp(source.text, urls))} />}
      <ul aria-label="Skipped lines">
        {shown.map((index) => (
          <Line key={index} ledger={ledger} index={index} />
        ))}
      </ul>
      {count > shown.length && <p class="soft">And {many(count - shown.length)} more.</p>}
      <Refused ledger={ledger} />
    </details>
  );
}

/** What the list says of its links and they do not get: remarks about all of it, and line by line. */
export function NotKept({ job: { ledger, notes } }: { job: Job }) {
  const indexes = notKeptIn(ledger);
  const shown = indexes.slice(0, MOST_SHOWN);
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
      {shown.length > 0 && (
        <details class="left">
          <summary>
            <ChevronRight class="i" aria-hidden="true" />
            Not everything of {counted(indexes.length, "line")} is kept
          </summary>
          <ul aria-label="Not kept">
            {shown.map((index) => (
              <LineNotKept key={index} item={ledger.items[index]!} />
            ))}
          </ul>
          {indexes.length > shown.length && (
            <p class="soft">And {many(indexes.length - shown.length)} more.</p>
          )}
        </details>
      )}
    </>
  );
}

const LineNotKept = ({ item: { line, url, notKept = [] } }: { item: Item }) => (
  <li>
    <span class="soft">line {many(line)}</span>
    <code title={url}>{url}</code>
    <span>Not kept: {notKeptText(notKept)}.</span>
  </li>
);

function Line({ ledger, index }: { ledger: Ledger; index: number }) {
  const { url, line } = ledger.items[index]!;
  return (
    <li>
      <span class="soft">line {many(line)}</span>
      <code title={url}>{url || "(nothing)"}</code>
      <span>
        <Why ledger={ledger} index={index} />
      </span>
    </li>
  );
}

function Why({ ledger, index }: { ledger: Ledger; index: number }) {
  const detail = ledger.details[index];
  const outcome = outcomeAt(ledger, index);
  if (outcome === "known") {
    return (
      <>
        Already in your links. <a href={`/links/${detail}`}>Show</a>
      </>
    );
  }
  if (outcome === "twice" && typeof detail === "number") {
    return <>Duplicate of line {many(ledger.items[detail]!.line)}.</>;
  }
  return <>{detail}</>;
}

type HttpProps = { ledger: Ledger; onUse: (urls: string[]) => void };

/** Offers http for addresses without a scheme, such as `127.0.0.1:8080`. */
function Http({ ledger, onUse }: HttpProps) {
  const urls = skippedIn(ledger)
    .map((index) => ledger.items[index]!.url)
    .filter(isBareAddress);
  if (urls.length === 0) return null;
  return (
    <Button onClick={() => onUse(urls)}>
      {urls.length === 1 ? `Use http://${urls[0]}` : `Use http for ${many(urls.length)} lines`}
    </Button>
  );
}

const refusedIn = (ledger: Ledger) =>
  skippedIn(ledger).filter((i) => /^(refused|limit)$/.test(outcomeAt(ledger, i)));

/** Gives the rejected lines back, to be corrected elsewhere. */
function Refused({ ledger }: { ledger: Ledger }) {
  const toast = useToast();
  const field = useRef<HTMLTextAreaElement>(null);
  if (ledger.counts.refused + ledger.counts.limit === 0) return null;
  const copy = async () => {
    const { current } = field;
    if (!current) return;
    current.value = refusedIn(ledger)
      .map((i) => ledger.items[i]!.url)
      .join("\n");
    const isCopied = await copyFrom(current);
    current.value = "";
    toast(isCopied ? "Copied" : "Copying failed in this browser. Download them instead.");
  };
  return (
    <p class="give">
      <Button icon={Copy} onClick={copy}>
        Copy rejected lines
      </Button>
      <Button icon={Download} onClick={() => saveTable(ledger)}>
        Download with reasons
      </Button>
      <textarea ref={field} class="unseen" tabIndex={-1} aria-hidden="true" readOnly />
    </p>
  );
}

/** Text that a spreadsheet would run as a formula, including full-width characters. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Saves a CSV file that can be corrected and added again. */
async function saveTable(ledger: Ledger): Promise<void> {
  const { default: Papa } = await import("papaparse");
  const refused = refusedIn(ledger);
  const cells = refused.map((i) => cellsOf(ledger.items[i]!.noted));
  const names = Object.keys(cellsOf()).filter((name) => cells.some((row) => row[name] !== ""));
  const rows = refused.map((i, row) => {
    const { line, url, group, frequency } = ledger.items[i]!;
    const about = { line, url, group: group ?? "", check_frequency: frequency ?? "" };
    const noted = Object.fromEntries(names.map((name) => [name, cells[row]?.[name]]));
    return { ...about, ...noted, problem: ledger.details[i] ?? "" };
  });
  // Quotes every cell, as exports do.
  const text = Papa.unparse(rows, { quotes: true, escapeFormulae: FORMULA });
  const href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href, download: "skipped-links.csv" }).click();
  URL.revokeObjectURL(href);
}
