import { useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { Doorway } from "../components/doorway.tsx";
import { Field, Problem } from "../components/form.tsx";
import { OutcomeList } from "../components/import-outcomes.tsx";
import { Loaded, Redirect } from "../components/states.tsx";
import { Status } from "../components/status.tsx";
import { api, unwrap } from "../lib/api.ts";
import { addList } from "../lib/import-add.ts";
import { type Ledger, pageOf } from "../lib/import-ledger.ts";
import { useDraft } from "../lib/import-source.ts";
import { explain, isPending, LINKS, type Link } from "../lib/links.ts";
import type { Session } from "../lib/session.ts";

const KEY = [...LINKS, "first"];
const SOON_MS = 2_000;
const MOST_REFUSED = 100;

/** The last step of the set-up: adds the first links and shows their verdicts. */
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
    queryFn: () => unwrap(api.links.get({ query: NEWEST })),
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
              ? "Enter the links that you care about. Each is checked immediately."
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

/** Rejected URLs stay in the field for correction. */
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

function Refused({ ledger }: { ledger: Ledger }) {
  const indexes = ["refused", "limit"] as const;
  const shown = indexes.flatMap((outcome) =>
    pageOf(ledger, outcome, { page: 1, perPage: MOST_REFUSED }),
  );
  return (
    <div role="status">{shown.length > 0 && <OutcomeList ledger={ledger} indexes={shown} />}</div>
  );
}

/** @param links the newest of `total` */
function FirstVerdicts({ links, total }: { links: Link[]; total: number }) {
  if (links.length === 0) return null;
  const waiting = links.filter(isPending).length;
  return (
    <section class="first" aria-label="Your links">
      <p role="status" class="hint">
        {waiting === 0
          ? "All of these are checked."
          : `${links.length - waiting} of ${links.length} checked…`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <div tabIndex={0}>
        <ul class="rows">
          {links.map((link) => (
            <li key={link.id}>
              <Status of={isPending(link) ? "checking" : link.status} />
              <div class="what">
                <span class="url" title={link.url}>
                  {link.url}
                </span>
                <p class="why">
                  {isPending(link) ? "Waiting for its first check." : explain(link)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      {total > links.length && (
        <p class="hint">And {(total - links.length).toLocaleString("en")} more.</p>
      )}
    </section>
  );
}
