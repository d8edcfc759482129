import { FileText, FileUp, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { isSingle } from "../../lib/import/add-one.ts";
import { Field } from "../field.tsx";
import { IconButton } from "../icon-button.tsx";

type ComposeProps = {
  text: string;
  /** Of the file that the text is of; null for what was typed. */
  name: string | null;
  problem: string | undefined;
  isBusy: boolean;
  onType: (text: string) => void;
  /** A text too long for a field, as it was pasted. */
  onPaste: (text: string) => void;
  onFile: (file: File) => void;
  onSubmit: () => void;
  children: ComponentChildren;
};

/** Characters that a field still shows without making its user wait. */
const MOST_IN_FIELD = 50_000;

/** One field for a URL or thousands, and a way to give a file. */
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

/** A text that is too long to be shown, or a file's. */
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

/** A field for files looks like a button; it is one for the keyboard and for a screen reader. */
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
        // So that the same file may be given again once it is mended.
        currentTarget.value = "";
      }}
    />
  </label>
);
