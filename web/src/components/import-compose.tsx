import { FileDown, FileText, FileUp, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isSingle } from "../lib/import-add.ts";
import type { Choices } from "../lib/import-choices.ts";
import type { Frequency } from "../lib/links.ts";
import { IconButton } from "./elements.tsx";
import { Field } from "./form.tsx";
import { FrequencySelect, GroupSelect } from "./link-selects.tsx";

type ComposeProps = {
  text: string;
  /** Name of the file; null for typed text. */
  name: string | null;
  problem: string | undefined;
  isBusy: boolean;
  onType: (text: string) => void;
  /** Receives text that is too long for the field. */
  onPaste: (text: string) => void;
  onFile: (file: File) => void;
  onSubmit: () => void;
  children: ComponentChildren;
};

/** Longer text makes the field slow. */
const MOST_IN_FIELD = 50_000;

export function Compose(props: ComposeProps) {
  const { text, name, isBusy, onSubmit, onFile, onType, children } = props;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (text.trim() !== "") onSubmit();
  };
  const isKept = name !== null || text.length > MOST_IN_FIELD;
  return (
    <form class="card compose" onSubmit={submit}>
      {isKept ? (
        <KeptText text={text} name={name} onDiscard={() => onType("")} />
      ) : (
        <UrlsField {...props} />
      )}
      {children}
      <footer>
        <FileButton onFile={onFile} />
        <button type="submit" class="primary" disabled={isBusy || text.trim() === ""}>
          {isSingle(text) ? "Add link" : "Review"}
        </button>
      </footer>
    </form>
  );
}

function UrlsField({ text, problem, onType, onPaste, onSubmit }: ComposeProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (pasted.length + text.length <= MOST_IN_FIELD) return;
    event.preventDefault();
    onPaste(text + pasted);
  };
  const enter = (event: KeyboardEvent) => {
    const isPlain = !event.shiftKey && !event.isComposing && isSingle(text);
    if (event.key !== "Enter" || !(isPlain || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (text.trim() !== "") onSubmit();
  };
  return (
    <Field
      label="URLs"
      problem={problem}
      hint="One URL, or a list: one per line, CSV, JSON, bookmarks, a sitemap, or what Uptime Kuma or UptimeRobot export. You can also drop a file on this page."
    >
      {(ties) => (
        <textarea
          {...ties}
          ref={field}
          class="code"
          rows={8}
          spellcheck={false}
          placeholder={"https://example.org/\nhttps://example.com/docs"}
          value={text}
          onInput={({ currentTarget }) => onType(currentTarget.value)}
          onPaste={paste}
          onKeyDown={enter}
        />
      )}
    </Field>
  );
}

type KeptTextProps = { text: string; name: string | null; onDiscard: () => void };

const KeptText = ({ text, name, onDiscard }: KeptTextProps) => (
  <p class="kept-text">
    <FileText aria-hidden="true" />
    <span>
      <strong class="url">{name ?? "Pasted text"}</strong>{" "}
      <span class="hint">{text.length.toLocaleString("en")} characters</span>
    </span>
    <IconButton label="Discard it" title="Discard" icon={X} onClick={onDiscard} />
  </p>
);

/** A file input that looks like a button. */
const FileButton = ({ onFile }: { onFile: (file: File) => void }) => (
  <label class="button file-button">
    <FileUp aria-hidden="true" />
    Choose a file…
    <input
      type="file"
      class="unseen"
      accept=".txt,.csv,.tsv,.json,.ndjson,.html,.htm,.xml,text/*,application/json,application/xml"
      onChange={({ currentTarget }) => {
        const [file] = currentTarget.files ?? [];
        if (file) onFile(file);
        // Allows choosing the same file again after a correction.
        currentTarget.value = "";
      }}
    />
  </label>
);

type OptionsProps = { choices: Choices; onChange: (choices: Choices) => void };

/** Stands for a group to create; no id equals it. */
const NEW = "new";

export function Options({ choices, onChange }: OptionsProps) {
  return (
    <div class="import-options">
      <GroupField choices={choices} onChange={onChange} />
      <Field label="Check">
        {(ties) => (
          <FrequencySelect
            {...ties}
            chosen={choices.frequency}
            onChange={({ currentTarget }) =>
              onChange({ ...choices, frequency: currentTarget.value as Frequency })
            }
          />
        )}
      </Field>
    </div>
  );
}

function GroupField({ choices, onChange }: OptionsProps) {
  const { groupId, newGroup } = choices;
  const choose = (value: string) =>
    onChange(
      value === NEW
        ? { ...choices, groupId: "", newGroup: "" }
        : { ...choices, groupId: value, newGroup: null },
    );
  return (
    <>
      <Field label="Group">
        {(ties) => (
          <GroupSelect
            {...ties}
            none="No group"
            chosen={newGroup === null ? groupId : NEW}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            <option value={NEW}>New group…</option>
          </GroupSelect>
        )}
      </Field>
      {newGroup !== null && (
        <Field label="Name of the new group">
          {(ties) => (
            <input
              {...ties}
              type="text"
              value={newGroup}
              maxLength={100}
              onInput={({ currentTarget }) =>
                onChange({ ...choices, newGroup: currentTarget.value })
              }
            />
          )}
        </Field>
      )}
    </>
  );
}

type DropAnywhereProps = { onFiles: (files: File[]) => void };

/** Accepts files that are dropped anywhere on the page, which the browser would otherwise open. */
export function DropAnywhere({ onFiles }: DropAnywhereProps) {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  take.current = onFiles;
  useLayoutEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take.current(files);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  if (!isOver) return null;
  return (
    <div class="drop-here">
      <p>
        <FileDown aria-hidden="true" />
        Drop the file to read its links
      </p>
    </div>
  );
}
