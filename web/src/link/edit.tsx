import { useMutation } from "@tanstack/preact-query";
import { FlaskConical } from "lucide-preact";
import { useState } from "preact/hooks";
import {
  changeLink,
  LINKS,
  type LinkDetail,
  type LinkEdit,
  TEXTS,
  tryLink,
} from "../data/links.ts";
import { Ask } from "../frame/ask.tsx";
import { Button } from "../ui/button.tsx";
import { Field, Problem, TextField } from "../ui/field.tsx";
import { State } from "../ui/state.tsx";

type EditProps = { link: LinkDetail; onClose: () => void };

/** What is noted about a link, and what its page must show. Only what was changed is sent. */
export default function EditSheet({ link: now, onClose }: EditProps) {
  // What others change while the sheet is open stays.
  const [link] = useState(now);
  const [scheduled, setScheduled] = useState(ownSchedule(link)?.cron ?? "");
  const send = (form: FormData) => changeLink(link.id, changesIn(link, form));
  return (
    <Ask
      title="Edit link"
      action="Save"
      isSheet
      said="The link was changed."
      renews={[LINKS, ["of-link", link.id]]}
      send={send}
      onClose={onClose}
    >
      <TextField
        label="Title"
        name="title"
        data-first
        maxLength={200}
        defaultValue={link.title ?? ""}
      />
      <Field label="Note" name="note">
        {(ties) => <textarea {...ties} rows={3} maxLength={2000} defaultValue={link.note ?? ""} />}
      </Field>
      {TEXTS.map((text) => (
        <TextField key={text.name} {...text} defaultValue={link[text.name] ?? ""} />
      ))}
      <h3>Schedule</h3>
      <TextField
        label="Cron"
        name="check_schedule.cron"
        hint="Five fields such as 0 6 * * 1-5, instead of a frequency. Empty for none."
        value={scheduled}
        onInput={({ currentTarget }) => setScheduled(currentTarget.value)}
      />
      {scheduled.trim() !== "" && (
        <TextField
          label="Time zone"
          name="check_schedule.time_zone"
          defaultValue={
            ownSchedule(link)?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
          }
        />
      )}
      <h3>Expectations</h3>
      <Lines link={link} name="must_contain" label="The page must contain" />
      <Lines link={link} name="must_not_contain" label="It must not contain" />
      <TextField
        label="The final URL contains"
        name="expect.final_url_contains"
        maxLength={500}
        defaultValue={link.expect?.final_url_contains ?? ""}
      />
      <TextField
        label="Accepted status codes"
        name="expect.accepted_status_codes"
        hint="Instead of 200-299, separated by commas, such as 200-299, 404."
        defaultValue={link.expect?.accepted_status_codes?.join(", ") ?? ""}
      />
      <Trial link={link} />
    </Ask>
  );
}

/** Checks the link with what the form expects, and shows what that says. Nothing is saved. */
function Trial({ link }: { link: LinkDetail }) {
  const trial = useMutation({
    mutationFn: (form: FormData) => tryLink(link.id, expectIn(textIn(form))),
  });
  const { data: seen, error, isPending } = trial;
  return (
    <div class="trial">
      <Button
        icon={FlaskConical}
        busy={isPending}
        onClick={({ currentTarget }) => trial.mutate(new FormData(currentTarget.form!))}
      >
        Try
      </Button>
      <div role="status">
        {isPending && <p class="hint">Checking. This may take a minute, and nothing is saved.</p>}
        {seen && !isPending && (
          <>
            <p>
              <State status={seen.status} word /> {seen.message}
            </p>
            <ul>
              {seen.evidence.signals.map(({ text }) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </>
        )}
      </div>
      <Problem error={isPending ? null : error} />
    </div>
  );
}

type LinesProps = {
  link: LinkDetail;
  name: "must_contain" | "must_not_contain";
  label: string;
};

const Lines = ({ link, name, label }: LinesProps) => (
  <Field label={label} name={`expect.${name}`} hint="One text per line, at most five.">
    {(ties) => <textarea {...ties} rows={2} defaultValue={link.expect?.[name]?.join("\n") ?? ""} />}
  </Field>
);

const ownSchedule = ({ check_schedule: schedule }: LinkDetail) =>
  schedule?.from === "link" ? schedule : null;

function changesIn(link: LinkDetail, form: FormData): LinkEdit {
  const text = textIn(form);
  const cron = text("check_schedule.cron");
  const zone = text("check_schedule.time_zone") ?? "UTC";
  const wanted = {
    title: text("title"),
    note: text("note"),
    ...Object.fromEntries(TEXTS.map(({ name }) => [name, text(name)])),
    check_schedule: cron === null ? null : { cron, time_zone: zone },
    expect: expectIn(text),
  };
  const own = ownSchedule(link);
  const present = {
    title: link.title,
    note: link.note,
    ...Object.fromEntries(TEXTS.map(({ name }) => [name, link[name]])),
    check_schedule: own && { cron: own.cron, time_zone: own.time_zone },
    expect: link.expect,
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) =>
        JSON.stringify(value) !== JSON.stringify(present[name as keyof typeof present]),
    ),
  );
}

const textIn = (form: FormData) => (name: string) => String(form.get(name) ?? "").trim() || null;

/** In the order in which the server has its fields. Null for none. */
function expectIn(text: (name: string) => string | null): LinkDetail["expect"] {
  const list = (name: string, between: RegExp) =>
    text(`expect.${name}`)
      ?.split(between)
      .map((each) => each.trim())
      .filter(Boolean);
  const expect = {
    must_contain: list("must_contain", /\n/),
    must_not_contain: list("must_not_contain", /\n/),
    final_url_contains: text("expect.final_url_contains") ?? undefined,
    accepted_status_codes: list("accepted_status_codes", /[,\s]+/),
  };
  const given = Object.entries(expect).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : null;
}
