import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { AddedLinks } from "../components/added-links.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field } from "../components/field.tsx";
import { FrequencySelect } from "../components/frequency-select.tsx";
import { Problem, problemOf } from "../components/problem.tsx";
import { useSay } from "../components/said.tsx";
import { textsOf } from "../lib/form.ts";
import { type Addition, addLinks, type Frequency, LINKS } from "../lib/links.ts";

/** Takes one URL or many. Those that are refused stay in the form, with the reasons beside them. */
export function AddLinks({ onClose }: { onClose: () => void }) {
  const say = useSay();
  const client = useQueryClient();
  const addition = useMutation({
    mutationFn: ({ urls, frequency }: { urls: string[]; frequency: Frequency }) =>
      addLinks(urls, frequency),
    onSuccess: ({ summary }) => {
      if (summary.failed > 0) return;
      say(summary.created === 1 ? "1 link added." : `${summary.created} links added.`);
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const { urls, frequency } = textsOf(event, ["urls", "frequency"]);
    addition.mutate({ urls: linesOf(urls), frequency: frequency as Frequency });
  };
  return (
    <Dialog title="Add links" onClose={onClose}>
      <form onSubmit={submit}>
        <UrlsField refused={addition.data} problem={problemOf(addition.error, "links")} />
        <Field label="Check frequency">
          {(ties) => <FrequencySelect {...ties} name="frequency" chosen="daily" />}
        </Field>
        <Problem error={addition.error} fields={["links"]} />
        <footer>
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class="primary" disabled={addition.isPending}>
            Add
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

type UrlsFieldProps = { refused: Addition | undefined; problem: string | undefined };

function UrlsField({ refused, problem }: UrlsFieldProps) {
  return (
    <>
      <Field label="URLs" hint="One per line, each with http:// or https://." problem={problem}>
        {(ties) => (
          <textarea
            {...ties}
            key={refused?.batch_id ?? ""}
            name="urls"
            class="code"
            rows={6}
            required
            spellcheck={false}
            placeholder="https://example.org/"
            defaultValue={refused ? refusedUrls(refused).join("\n") : ""}
          />
        )}
      </Field>
      <div role="status">{refused && <AddedLinks addition={refused} />}</div>
    </>
  );
}

const refusedUrls = ({ results }: Addition) =>
  results.flatMap((result) => (result.status === "failed" ? [String(result.url)] : []));

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
