import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DropAnywhere } from "../components/import/drop-anywhere.tsx";
import { Empty } from "../components/states.tsx";
import { USUAL } from "../lib/import/choices.ts";
import { useDraft } from "../lib/import/draft.ts";
import { useImport } from "../lib/import/job.ts";
import { readFile, type Source } from "../lib/import/source.ts";
import { useCanWrite, useUser } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { ComposeLinks } from "./compose-links.tsx";
import { ImportList } from "./import-list.tsx";

/** Takes one URL, thousands, or a file; shows what would become of each, and adds them. */
export function NewLinksPage() {
  useTitle("Add links");
  const { email: owner } = useUser();
  if (useCanWrite()) return <NewLinks owner={owner} />;
  return (
    <Empty title="You may only look">
      <p>Ask an owner or an editor of this account to add links.</p>
    </Empty>
  );
}

function NewLinks({ owner }: { owner: string }) {
  const { route } = useLocation();
  const { draft, keep } = useDraft(owner);
  const flow = useImport(owner);
  const [choices, setChoices] = useState(USUAL);
  const [problem, setProblem] = useState<Error | null>(null);
  const begin = (source: Source) => {
    keep(source.text, source.name);
    setProblem(null);
    route("/links/new", true);
    flow.begin(source, choices);
  };
  const take = async ([file, ...others]: File[]) => {
    if (others.length > 0) return setProblem(new Error("Give one file at a time."));
    if (file) await readFile(file).then(begin, setProblem);
  };
  const startOver = (text: string) => {
    keep(text);
    flow.forget();
    route("/links/new", true);
  };
  return (
    <>
      <header class="page-head">
        <h1>Add links</h1>
        {flow.job && flow.job.stage !== "done" && (
          <button type="button" onClick={() => startOver(draft.name ? "" : draft.text)}>
            Start over
          </button>
        )}
      </header>
      {!isAdding(flow.job) && <DropAnywhere onFiles={take} />}
      {flow.job ? (
        <ImportList
          flow={flow}
          job={flow.job}
          problem={problem}
          onDone={() => keep("")}
          onMore={() => startOver("")}
        />
      ) : (
        <ComposeLinks
          draft={draft}
          choices={choices}
          problem={problem}
          onChoose={setChoices}
          onType={(text) => {
            setProblem(null);
            keep(text);
          }}
          onFile={(file) => take([file])}
          onList={(text) => begin({ name: draft.name, text, notes: [] })}
        />
      )}
    </>
  );
}

/** What is being added must not be swept away by another file. */
const isAdding = (job: ReturnType<typeof useImport>["job"]) => job?.stage === "adding";
