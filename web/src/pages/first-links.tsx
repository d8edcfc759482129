import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { Doorway } from "../components/doorway.tsx";
import { Field } from "../components/field.tsx";
import { FirstVerdicts } from "../components/import/first-verdicts.tsx";
import { OutcomeList } from "../components/import/outcome-list.tsx";
import { Problem } from "../components/problem.tsx";
import { Redirect } from "../components/redirect.tsx";
import { Loaded } from "../components/states.tsx";
import { api, ask } from "../lib/api.ts";
import { addList } from "../lib/import/add-list.ts";
import { useDraft } from "../lib/import/draft.ts";
import { type Ledger, pageOf } from "../lib/import/ledger.ts";
import { isPending, LINKS } from "../lib/links.ts";
import type { Session } from "../lib/session.ts";

const KEY = [...LINKS, "first"];
const SOON_MS = 2_000;
const MOST_REFUSED = 100;

/** The last step of the set-up: the first links are added, and their verdicts arrive before the eye. */
export function FirstLinksPage({ session }: { session: Session }) {
  const { state, user, insecure } = session;
  if (state === "setup") return <Redirect to="/setup" />;
  if (!user) return <Redirect to={`/sign-in?next=${encodeURIComponent("/setup?step=links")}`} />;
  if (user.role === "viewer") return <Redirect to="/" />;
  return (
    <Doorway title="Your first links" insecure={insecure}>
      <FirstLinks owner={user.email} />
    </Doorway>
  );
}

function FirstLinks({ owner }: { owner: string }) {
  const first = useQuery({
    queryKey: KEY,
    queryFn: () => ask(api.links.get({ query: NEWEST })),
    refetchInterval: ({ state }) => (state.data?.items.some(isPending) ? SOON_MS : false),
  });
  const addition = useAddition();
  const { draft, keep } = useDraft(owner);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (draft.text.trim() === "" || addition.isPending) return;
    addition.mutate(draft.text, { onSuccess: (ledger) => keep(leftOf(ledger)) });
  };
  return (
    <Loaded query={first}>
      {({ items, pagination }) => (
        <>
          <p class="lead">
            {items.length === 0
              ? "Give the links that you care about. Each is checked at once."
              : "Each is checked now, and then every day."}
          </p>
          <FirstVerdicts links={items} total={pagination.total} />
          {(items.length === 0 || draft.text !== "") && (
            <UrlsForm
              text={draft.text}
              isBusy={addition.isPending}
              error={addition.error}
              onType={(text) => keep(text)}
              onSubmit={submit}
            />
          )}
          {addition.data && <Refused ledger={addition.data} />}
          <p class="onward">
            <a class={items.length > 0 ? "button primary" : "button plain"} href="/">
              {items.length > 0 ? "Go to the overview" : "Skip this"}
            </a>
          </p>
        </>
      )}
    </Loaded>
  );
}

const NEWEST = { page: 1, per_page: 25 };

function useAddition() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: addList,
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
}

/** What was refused stays in the field, to be mended. */
const leftOf = (ledger: Ledger) =>
  pageOf(ledger, "refused", { page: 1, perPage: MOST_REFUSED })
    .map((i) => ledger.items[i]!.url)
    .join("\n");

type UrlsFormProps = {
  text: string;
  isBusy: boolean;
  error: Error | null;
  onType: (text: string) => void;
  onSubmit: (event: SubmitEvent) => void;
};

const UrlsForm = ({ text, isBusy, error, onType, onSubmit }: UrlsFormProps) => (
  <form onSubmit={onSubmit}>
    <Field label="URLs" hint="One per line. A list in CSV or JSON will do as well.">
      {(ties) => (
        <textarea
          {...ties}
          class="code"
          rows={6}
          required
          spellcheck={false}
          placeholder={
            "https://example.org/\nhttps://example.com/docs/start\nhttps://youtu.be/jNQXAC9IVRw"
          }
          value={text}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
        />
      )}
    </Field>
    <Problem error={error} />
    <button type="submit" class="primary" disabled={isBusy}>
      {isBusy ? "Adding…" : "Add"}
    </button>
  </form>
);

/** Why the lines that are still in the field are there. */
function Refused({ ledger }: { ledger: Ledger }) {
  const indexes = ["refused", "limit"] as const;
  const shown = indexes.flatMap((outcome) =>
    pageOf(ledger, outcome, { page: 1, perPage: MOST_REFUSED }),
  );
  return (
    <div role="status">{shown.length > 0 && <OutcomeList ledger={ledger} indexes={shown} />}</div>
  );
}
