import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Compose } from "../components/import/compose.tsx";
import { Options } from "../components/import/options.tsx";
import { OutcomeMark, Why } from "../components/import/outcome-list.tsx";
import { Problem } from "../components/problem.tsx";
import { ALL_GROUPS, GROUPS, useGroups } from "../lib/groups.ts";
import { addOne, isSingle } from "../lib/import/add-one.ts";
import type { Choices } from "../lib/import/choices.ts";
import { type Ledger, outcomeAt } from "../lib/import/ledger.ts";
import type { Source } from "../lib/import/source.ts";
import { LINKS } from "../lib/links.ts";

type ComposeLinksProps = {
  draft: Omit<Source, "notes">;
  choices: Choices;
  problem: Error | null;
  onChoose: (choices: Choices) => void;
  onType: (text: string) => void;
  onFile: (file: File) => void;
  onList: (text: string) => void;
};

/** A single URL is added at once; a list is looked at first. */
export function ComposeLinks(props: ComposeLinksProps) {
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

/** What became of the URLs that were given one by one, the last one first. */
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
