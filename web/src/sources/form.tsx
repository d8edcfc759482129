import { useMutation } from "@tanstack/preact-query";
import { useEffect, useRef, useState } from "preact/hooks";
import { FREQUENCIES, type Frequency } from "../../../server/ground/lib/vocabulary.ts";
import { counted, many, startUpper } from "../data/format.ts";

import { sourceAt, withScheme } from "../data/source-address.ts";
import { SOURCES, type Source } from "../data/sources.ts";
import { FREQUENCY_WORDS } from "../data/words.ts";
import { useAdd } from "../frame/add.tsx";
import { Ask } from "../frame/ask.tsx";
import { Button } from "../ui/button.tsx";
import {
  CheckField,
  Folded,
  Form,
  PasswordField,
  SelectField,
  TextField,
  textsIn,
} from "../ui/field.tsx";
import { GroupField } from "../ui/group-pick.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { Url } from "../ui/url.tsx";
import { KINDS } from "./kinds.ts";
import {
  changeSource,
  createSource,
  type Preview,
  previewSource,
  type SourceInput,
  type SourceKind,
} from "./queries.ts";
import { SettingFields, settingsIn } from "./settings.tsx";
import { pageWord } from "./words.ts";

type NewSourceProps = {
  /** What to begin with. */
  address: string;
  /** With the id of the source that was created. */
  onClose: (id?: string) => void;
};

const OFFERS = Object.values(KINDS).flatMap(({ offer }) => offer ?? []);
const OFFERED = `${startUpper(OFFERS.slice(0, -1).join(", "))} or ${OFFERS.at(-1)}.`;

type Known = { kind: SourceKind; url: string; preview: Preview | null };

/** Asks for the address first. What is found there says the kind and the name. */
export function NewSource({ address, onClose }: NewSourceProps) {
  const [known, setKnown] = useState<Known | null>(null);
  return known ? (
    <Details known={known} onBack={() => setKnown(null)} onClose={onClose} />
  ) : (
    <Address address={address} onKnown={setKnown} onClose={onClose} />
  );
}

type AddressProps = NewSourceProps & { onKnown: (known: Known) => void };

function Address({ address, onKnown, onClose }: AddressProps) {
  const [url, setUrl] = useState(address);
  const { open } = useAdd();
  const finding = useMutation({
    mutationFn: (wanted: string) => previewSource({ url: wanted }),
    onSuccess: (preview, wanted) => onKnown({ kind: preview.kind, url: wanted, preview }),
  });
  useEffect(() => {
    if (address) finding.mutate(withScheme(address));
  }, []);
  const addLink = () => {
    onClose();
    open({ text: url });
  };
  return (
    <Sheet
      title="New source"
      onClose={() => onClose()}
      foot={
        <>
          <Button quiet onClick={() => onKnown({ kind: "push", url: "", preview: null })}>
            A program sends the pages
          </Button>
          <span class="gap" />
          <Button onClick={() => onClose()}>Cancel</Button>
          <Button primary type="submit" form="src-address" busy={finding.isPending}>
            Continue
          </Button>
        </>
      }
    >
      <Form
        id="src-address"
        error={finding.isPending ? null : finding.error}
        onSubmit={() => url.trim() && finding.mutate(withScheme(url))}
      >
        <TextField
          label="Address"
          name="url"
          type="text"
          inputMode="url"
          data-first
          required
          spellcheck={false}
          autoComplete="off"
          placeholder="https://docs.example.org/"
          hint={OFFERED}
          value={url}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <div role="status">
          {finding.isPending && (
            <p class="hint">Reading the first pages. This takes at most 20 seconds.</p>
          )}
        </div>
        {finding.isError && (
          <p>
            <Button
              quiet
              onClick={() =>
                onKnown({
                  kind: sourceAt(withScheme(url)) ?? "site",
                  url: withScheme(url),
                  preview: null,
                })
              }
            >
              Continue without a preview
            </Button>
          </p>
        )}
        {address !== "" && (
          <p class="hint">
            Only this one address?{" "}
            <button type="button" class="word" onClick={addLink}>
              Add it as a link
            </button>
          </p>
        )}
      </Form>
    </Sheet>
  );
}

type DetailsProps = {
  known: Known;
  onBack: () => void;
  onClose: NewSourceProps["onClose"];
};

function Details({ known: first, onBack, onClose }: DetailsProps) {
  const [{ kind, url, preview }, setKnown] = useState(first);
  // Closing the sheet leads there.
  const made = useRef<string | undefined>(undefined);
  const finding = useMutation({
    mutationFn: (input: Partial<SourceInput>) => previewSource(input),
    onSuccess: (found) => setKnown((last) => ({ ...last, preview: found })),
  });
  // The settings that it depends on are further down.
  const shown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (finding.isPending) shown.current?.scrollIntoView({ block: "nearest" });
  }, [finding.isPending]);
  const change = (next: SourceKind) => {
    setKnown((last) => ({ ...last, kind: next, preview: null }));
    if (next !== "push") finding.mutate({ kind: next, url });
  };
  /** With what the form says now. */
  const again = (form: HTMLFormElement) => {
    const { settings, credential } = inputIn(new FormData(form), kind);
    finding.mutate({ kind, url, ...(settings && { settings }), ...(credential && { credential }) });
  };
  const send = async (form: FormData) => {
    const created = await createSource({
      ...inputIn(form, kind),
      kind,
      ...(kind !== "push" && { url }),
    });
    made.current = created.id;
  };
  const kinds = (Object.keys(KINDS) as SourceKind[]).filter(
    (each) => (kind === "push") === (each === "push"),
  );
  return (
    <Ask
      title="New source"
      action="Create source"
      isSheet
      said="The source was created."
      renews={[SOURCES]}
      send={send}
      more={(form) =>
        kind !== "push" && (
          <Button
            form={form}
            busy={finding.isPending}
            onClick={({ currentTarget }) => again(currentTarget.form!)}
          >
            Preview again
          </Button>
        )
      }
      onClose={() => onClose(made.current)}
    >
      {kind !== "push" && (
        <div class="src-chosen">
          <span data-room>
            <Url url={url} />
          </span>
          <button type="button" class="word" onClick={onBack}>
            Change
          </button>
        </div>
      )}
      {kinds.length > 1 && (
        <SelectField<SourceKind>
          label="Kind"
          name="kind"
          value={kind}
          options={kinds.map((value) => ({ value, label: KINDS[value].name }))}
          onChange={change}
        />
      )}
      {KINDS[kind].credential && <CredentialFields kind={kind} />}
      <div ref={shown} role="status" class="src-preview">
        {finding.isPending && (
          <p class="hint">Reading the first pages. This takes at most 20 seconds.</p>
        )}
        {finding.error && !finding.isPending && <p class="problem">{finding.error.message}</p>}
        {preview && !finding.isPending && <Found preview={preview} />}
      </div>
      <Common kind={kind} name={preview?.name ?? URL.parse(url)?.hostname ?? ""} />
    </Ask>
  );
}

const MOST_SAMPLES = 5;

/** What a run would find, and what there is to know before. */
function Found({ preview }: { preview: Preview }) {
  const { links, new_links: fresh, left_out: leftOut, room } = preview;
  const { samples, robots, notes, errors } = preview;
  return (
    <>
      <p>
        <b>{foundText(preview)}</b>
        <span class="soft">
          {links > 0 && <>, {many(fresh)} of them new</>}
          {leftOut > 0 && <>, {many(leftOut)} left out by the settings</>}. The account has room for{" "}
          {counted(room, "more link", "more links")}.
        </span>
      </p>
      {[...errors, ...(robots ? [robots] : []), ...notes].map((text) => (
        <p key={text} class={errors.includes(text) ? "problem" : "hint"}>
          {text}
        </p>
      ))}
      {samples.length > 0 && (
        <ul class="src-samples" aria-label="Some of the links">
          {samples.slice(0, MOST_SAMPLES).map(({ url, text, line }, n) => (
            <li key={n}>
              <span data-room>
                <Url url={url} />
              </span>
              <span class="soft">
                {[text && `“${text}”`, line !== null && `line ${many(line)}`]
                  .filter(Boolean)
                  .join(", ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function foundText({ kind, pages, links }: Preview): string {
  if (pages === 0) return `No ${pageWord(kind)} could be read`;
  const where = `on the first ${counted(pages, pageWord(kind))}`;
  return `${links === 0 ? "No links" : counted(links, "link")} ${where}`;
}

/** Only what was changed is sent. */
export function EditSource({ source: now, onClose }: { source: Source; onClose: () => void }) {
  // What others change while the sheet is open stays.
  const [source] = useState(now);
  return (
    <Ask
      title="Edit source"
      action="Save"
      isSheet
      said="The source was changed."
      renews={[SOURCES]}
      send={(form) => changeSource(source.id, changesIn(source, form))}
      onClose={onClose}
    >
      <Common kind={source.kind} name={source.name} source={source} />
      {KINDS[source.kind].credential && (
        <>
          <h3>Credential</h3>
          <CredentialFields kind={source.kind} isKnown={source.has_credential} />
          {source.has_credential && (
            <CheckField label="Remove the credential" name="no_credential" />
          )}
        </>
      )}
    </Ask>
  );
}

/** A credential is never shown again, and an empty field keeps it. */
function CredentialFields({ kind, isKnown = false }: { kind: SourceKind; isKnown?: boolean }) {
  const hint = isKnown ? "Leave empty to keep the present one." : undefined;
  if (kind === "wordpress") {
    return (
      <>
        <TextField
          label="User"
          name="credential.user"
          autoComplete="off"
          hint="Only for what is not public."
        />
        <PasswordField
          label="Application password"
          name="credential.value"
          autoComplete="off"
          hint={hint}
        />
      </>
    );
  }
  return (
    <PasswordField
      label="API token"
      name="credential.value"
      autoComplete="off"
      hint={hint ?? (kind === "git" ? "Only for a private repository." : undefined)}
    />
  );
}

function Common({ kind, name, source }: { kind: SourceKind; name: string; source?: Source }) {
  const [group, setGroup] = useState(source?.group_id ?? null);
  const [frequency, setFrequency] = useState<Frequency>(source?.check_frequency ?? "daily");
  return (
    <>
      <TextField
        key={name}
        label="Name"
        name="name"
        maxLength={100}
        required
        data-first
        autoComplete="off"
        defaultValue={name}
      />
      <div class="src-pair">
        <GroupField
          label="Group of new links"
          name="group_id"
          value={group}
          onPick={(chosen) => setGroup(chosen?.id ?? null)}
        />
        <SelectField<Frequency>
          label="New links are checked"
          name="check_frequency"
          value={frequency}
          options={FREQUENCIES.map((value) => ({ value, label: FREQUENCY_WORDS[value] }))}
          onChange={setFrequency}
        />
      </div>
      <Folded title="More">
        {kind !== "push" && (
          <div class="src-pair">
            <TextField
              label="Schedule"
              name="schedule"
              maxLength={100}
              placeholder="0 4 * * *"
              hint="When it is read, as cron. Empty for once a day."
              defaultValue={source?.schedule ?? ""}
            />
            <TextField
              label="Time zone"
              name="time_zone"
              defaultValue={source?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
            />
          </div>
        )}
        <SettingFields key={kind} kind={kind} settings={source?.settings ?? {}} />
      </Folded>
    </>
  );
}

/** What the form says of a new source. */
function inputIn(form: FormData, kind: SourceKind): Partial<SourceInput> {
  const credential = credentialIn(form, kind);
  return {
    ...commonIn(form, kind),
    settings: settingsIn(form, kind),
    ...(credential && { credential }),
  };
}

function commonIn(form: FormData, kind: SourceKind) {
  const texts = textsIn(form, "name", "group_id", "check_frequency", "schedule", "time_zone");
  return {
    name: texts.name.trim(),
    group_id: texts.group_id || null,
    check_frequency: texts.check_frequency as Source["check_frequency"],
    ...(kind !== "push" && {
      schedule: texts.schedule.trim() || null,
      time_zone: texts.time_zone.trim() || "UTC",
    }),
  };
}

/** Undefined if none was entered. */
function credentialIn(form: FormData, kind: SourceKind): SourceInput["credential"] {
  const texts = textsIn(form, "credential.user", "credential.value");
  const value = texts["credential.value"].trim();
  const user = texts["credential.user"].trim();
  if (!value) return null;
  return { type: KINDS[kind].credential ?? "bearer", value, ...(user && { user }) };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** The entries that differ from the present ones. */
const differing = (wanted: object, present: object) =>
  Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => !isSame(value, (present as Record<string, unknown>)[name]),
    ),
  );

/** What was changed in the form, so that changes by others stay. */
function changesIn(source: Source, form: FormData): Partial<SourceInput> {
  const settings = differing(settingsIn(form, source.kind), source.settings);
  const credential = form.has("no_credential") ? null : credentialIn(form, source.kind);
  const isCredentialChanged = credential !== null || form.has("no_credential");
  return {
    ...differing(commonIn(form, source.kind), source),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(isCredentialChanged && { credential }),
  };
}
