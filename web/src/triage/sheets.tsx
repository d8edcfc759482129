import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { seenOf } from "../data/evidence.ts";
import { changeRows, type ListedLink } from "../data/link-rows.ts";
import { LINKS, linkOptions } from "../data/links.ts";
import { useUser } from "../data/session.ts";
import { Ask } from "../frame/ask.tsx";
import { useToast } from "../frame/toast.tsx";
import { Field, SelectField, TextField } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Report } from "../ui/report.tsx";
import { inDays } from "./decisions.ts";
import { endOverride, overrideLink } from "./requests.ts";
import { watchSince } from "./since.ts";
import { useReplacement } from "./use-replacement.ts";

type SheetProps = {
  link: Pick<ListedLink, "id" | "url">;
  onClose: () => void;
  onDone?: () => void;
};

const PERIODS = [
  { value: 7, label: "1 week" },
  { value: 30, label: "30 days" },
  { value: 90, label: "90 days" },
];

/** Says that a link works, with a note and the evidence that is overruled. */
export function OverrideSheet({ link, onClose, onDone }: SheetProps) {
  const client = useQueryClient();
  const toast = useToast();
  const { email } = useUser();
  const detail = useQuery(linkOptions(link.id));
  const [days, setDays] = useState(30);
  const [note, setNote] = useState("");
  const send = async () => {
    const changed = await overrideLink(link.id, { note, until: inDays(days) });
    changeRows(client, [link.id], changed);
    const { overridden_until, handling } = changed;
    watchSince({ client, email, say: toast }, [link.id], () => ({ overridden_until, handling }));
    client.invalidateQueries({ queryKey: LINKS });
    client.invalidateQueries({ queryKey: ["overview"] });
    toast("1 link was overridden.", () =>
      endOverride(link.id).finally(() => client.invalidateQueries({ queryKey: LINKS })),
    );
    onDone?.();
  };
  return (
    <Ask
      title="Override"
      action="Override"
      isSheet
      isDisabled={note.trim().length < 10}
      send={send}
      onClose={onClose}
    >
      <p>
        The link counts as alive while checks find the very same. It ends when they find something
        else, or at its time.
      </p>
      <Field label="Why it works" hint="10 to 500 characters, for those who come after you.">
        {(ties) => (
          <textarea
            {...ties}
            data-first
            name="note"
            rows={3}
            maxLength={500}
            value={note}
            onInput={({ currentTarget }) => setNote(currentTarget.value)}
          />
        )}
      </Field>
      <SelectField
        label="For"
        value={days}
        options={PERIODS}
        onChange={(value) => setDays(Number(value))}
      />
      <h3>Evidence</h3>
      <Loaded query={detail}>
        {(found) => {
          const seen = seenOf(found);
          return seen ? <Report seen={seen} /> : <p class="hint">Not checked yet.</p>;
        }}
      </Loaded>
    </Ask>
  );
}

/** Gives a link another URL, whose history keeps the old one. */
export function UrlSheet({ link, onClose, onDone }: SheetProps) {
  const replace = useReplacement(link);
  const send = async (form: FormData) => {
    await replace({ url: String(form.get("url")) });
    onDone?.();
  };
  return (
    <Ask title="Replace URL" action="Replace" send={send} onClose={onClose}>
      <p>
        The link keeps its history, which shows the old URL. If pages of a source still have the old
        URL, the new one is stored until they are edited.
      </p>
      <TextField
        label="New URL"
        name="url"
        type="url"
        data-first
        required
        maxLength={2048}
        defaultValue={link.url}
      />
    </Ask>
  );
}
