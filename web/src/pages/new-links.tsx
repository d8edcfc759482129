import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Problem } from "../components/form.tsx";
import { Compose, DropAnywhere, Options } from "../components/import-compose.tsx";
import { OutcomeMark, Why } from "../components/import-outcomes.tsx";
import { Empty } from "../components/states.tsx";
import { useTitle } from "../lib/browser.ts";
import { ALL_GROUPS, GROUPS, useGroups } from "../lib/groups.ts";
import { addOne, isSingle } from "../lib/import-add.ts";
import { type Choices, USUAL } from "../lib/import-choices.ts";
import { useImport } from "../lib/import-job.ts";
import { type Ledger, outcomeAt } from "../lib/import-ledger.ts";
import { readFile, type Source, useDraft } from "../lib/import-source.ts";
import { LINKS } from "../lib/links.ts";
import { useCanWrite, useUser } from "../lib/session.ts";
import { ImportList } from "./import-list.tsx";

export function NewLinksPage() {
  useTitle("Add links");
  const { email: owner } = useUser();
  if (useCanWrite()) return <NewLinks owner={owner} />;
  return (
    <Empty title="Read-only access">
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
    if (others.length > 0) return setProblem(new Error("Choose one file at a time."));
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

/** Another file must not replace an import that is adding links. */
const isAdding = (job: ReturnType<typeof useImport>["job"]) => job?.stage === "adding";

type ComposeLinksProps = {
  draft: Omit<Source, "notes">;
  choices: Choices;
  problem: Error | null;
  onChoose: (choices: Choices) => void;
  onType: (text: string) => void;
  onFile: (file: File) => void;
  onList: (text: string) => void;
};

/** Adds a single URL immediately; a list is reviewed first. */
function ComposeLinks(props: ComposeLinksProps) {
  const { draft, choices, problem, onChoose, onType, onFile, onList } = props;
  const { text } = draft;
  const groups = useGroups();
  const [past, setPast] = useState<Ledger[]>([]);
  const addition = useAddition((ledger) => {
    setPast([ledger, ...past].slice(0, 10));
    if (ledger.counts.added > 0) onType("");
  });
  const submit = () => {
    if (addition.isPending) return;
    if (isSingle(text)) addition.mutate({ url: text.trim(), choices });
    else onList(text);
  };
  return (
    <>
      <Compose
        {...draft}
        problem={undefined}
        isBusy={addition.isPending}
        onType={onType}
        onPaste={onList}
        onFile={onFile}
        onSubmit={submit}
      >
        <Problem error={problem ?? addition.error ?? groups.error} />
        <Options choices={choices} onChange={onChoose} />
      </Compose>
      <Past ledgers={past} />
    </>
  );
}

type Addition = { url: string; choices: Choices };

function useAddition(onSettled: (ledger: Ledger) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ url, choices }: Addition) =>
      addOne(url, choices, await client.ensureQueryData(ALL_GROUPS)),
    onSuccess: (ledger) => {
      onSettled(ledger);
      for (const queryKey of [LINKS, GROUPS, ["overview"]]) client.invalidateQueries({ queryKey });
    },
  });
}

/** Results of single URLs, newest first. */
const Past = ({ ledgers }: { ledgers: Ledger[] }) => (
  <div role="status">
    {ledgers.length > 0 && (
      <ul class="rows outcomes">
        {ledgers.map((ledger, i) => (
          <li key={ledgers.length - i}>
            <OutcomeMark of={outcomeAt(ledger, 0)} />
            <div class="what">
              <span class="url">{ledger.items[0]!.url}</span>
              <Why ledger={ledger} index={0} outcome={outcomeAt(ledger, 0)} />
            </div>
          </li>
        ))}
      </ul>
    )}
  </div>
);
