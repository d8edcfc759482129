import { CircleCheck, Copy, Download } from "lucide-preact";
import { useRef } from "preact/hooks";
import { copyFrom } from "../../lib/copy.ts";
import type { Ledger } from "../../lib/import/ledger.ts";
import { download, refusedTable, refusedText } from "../../lib/import/refused.ts";
import { useSay } from "../said.tsx";

type DoneProps = { ledger: Ledger; href: string; onMore: () => void };

/** What came of it, and what can be done with the lines that were refused. */
export function Done({ ledger, href, onMore }: DoneProps) {
  const { added, refused, limit } = ledger.counts;
  return (
    <div class="card done">
      <div role="status">
        <h2>
          <CircleCheck aria-hidden="true" />
          {added === 1 ? "1 link added" : `${added.toLocaleString("en")} links added`}
        </h2>
      </div>
      <footer>
        <a class="button primary" href={href}>
          See them
        </a>
        <button type="button" onClick={onMore}>
          Add more
        </button>
      </footer>
      {refused + limit > 0 && <Refused ledger={ledger} />}
    </div>
  );
}

/** The lines that were not added although they might have been, to be mended elsewhere. */
function Refused({ ledger }: { ledger: Ledger }) {
  const say = useSay();
  const field = useRef<HTMLTextAreaElement>(null);
  const count = ledger.counts.refused + ledger.counts.limit;
  const copy = async () => {
    const { current } = field;
    if (!current) return;
    current.value = refusedText(ledger);
    const isCopied = await copyFrom(current);
    current.value = "";
    say(isCopied ? "Copied." : "The browser did not let us copy. Download them instead.");
  };
  const save = async () => download("refused-links.csv", await refusedTable(ledger));
  return (
    <div class="refused">
      <p>
        {count === 1 ? "1 line was refused." : `${count.toLocaleString("en")} lines were refused.`}
      </p>
      <button type="button" onClick={copy}>
        <Copy aria-hidden="true" />
        Copy them
      </button>
      <button type="button" onClick={save}>
        <Download aria-hidden="true" />
        Download with reasons
      </button>
      <textarea ref={field} class="unseen" tabIndex={-1} aria-hidden="true" readOnly />
    </div>
  );
}
