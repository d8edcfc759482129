import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../ground/config/config.ts";
import { UsageError } from "../ground/lib/errors.ts";
import { isLoopbackHost, vetTarget } from "../ground/net/policy.ts";
import { type DocumentFormat, formatOfName } from "../read/documents/formats.ts";
import { recognise } from "../read/lists/formats.ts";
import { partsOf } from "../read/lists/read-bytes.ts";
import type { Item } from "../read/lists/reading.ts";
import { longestOf } from "./check/document-text.ts";
import { type CheckedDocument, type Reader, rootOf } from "./check/documents.ts";
import { findDocuments, isUrl } from "./check/files.ts";
import {
  type Finding,
  hasCredentials,
  withCredentials,
  withoutCredentials,
} from "./check/findings.ts";
import { refuseOutside, slashed } from "./check/within.ts";
import type { CheckOptions } from "./check-options.ts";
import { type Io, plain } from "./io.ts";
import { openText, type TextSource } from "./list-source.ts";

/** What is to be checked. */
export type Work = {
  options: CheckOptions;
  urls: Set<string>;
  documents: CheckedDocument[];
  /** What a list has and cannot be requested. */
  refused: Finding[];
  /** How many documents and folders were not read. */
  unread: number;
  /** Whether a list or standard input was read. */
  isList: boolean;
};

type Inputs = {
  io: Io;
  config: Config;
  reader: Reader;
  /** The arguments of the command line. */
  given: string[];
  options: CheckOptions;
  /** Receives sentences about what is left out. */
  tell: (sentence: string) => void;
};

const STANDARD_INPUT = "-";

/**
 * What is named on the command line, then what is in the list or the document of `--file`; each URL once.
 * @throws UsageError for an invalid URL or file, before anything is checked
 */
export async function readInputs(inputs: Inputs): Promise<Work> {
  const { config, reader, given, options, tell } = inputs;
  const root = options.root === undefined ? undefined : resolve(options.root);
  const texts = textsOf(given, options);
  const work: Work = {
    options,
    urls: new Set(given.filter(isUrl)),
    documents: [],
    refused: [],
    unread: 0,
    isList: texts.length > 0,
  };
  for (const url of work.urls) refuseInvalid(config, url, "");
  const skip = (sentence: string) => {
    work.unread++;
    tell(sentence);
  };
  const isDocument = (each: string) => !isUrl(each) && each !== STANDARD_INPUT;
  const names = [...given.filter(isDocument), ...texts.filter(isPage)];
  for (const file of findDocuments(names, { ...options, root, skip })) {
    const read = await reader.file(file);
    if (read) work.documents.push({ ...file, root: rootOf(file.path, root), read });
    else work.unread++;
  }
  for (const text of texts) if (!isPage(text)) await readListOrDocument(text, root, work, inputs);
  return work;
}

const textsOf = (given: string[], { file }: CheckOptions): string[] => [
  ...new Set([
    ...(file === undefined ? [] : [file]),
    ...given.filter((each) => each === STANDARD_INPUT),
  ]),
];

/** Whether a file is a page. Browsers export bookmarks as HTML, which is a list. */
const isPage = (file: string) =>
  file !== STANDARD_INPUT && formatOfName(file) === "html" && !isBookmarks(startOf(file));

const isBookmarks = (head: string) => /NETSCAPE-Bookmark/i.test(head);

function startOf(file: string): string {
  try {
    return readFileSync(file, "latin1").slice(0, 1000);
  } catch {
    return "";
  }
}

async function readListOrDocument(
  text: string,
  root: string | undefined,
  work: Work,
  { io, config, reader, options }: Inputs,
): Promise<void> {
  if (text !== STANDARD_INPUT) refuseOutside(text, root);
  const source = await openText(io, text);
  const file = text === STANDARD_INPUT ? (options.stdinName ?? STANDARD_INPUT) : slashed(text);
  const format = documentFormatOf(source.head, file, options);
  if (!format) {
    for await (const url of urlsOf(io, config, source, options)) {
      if (!hasCredentials(url)) work.urls.add(url);
      else work.refused.push(withCredentials(url, []));
    }
    return;
  }
  const read = await reader.text(file, await wholeOf(source, format), format);
  const path = resolve(file);
  if (read) work.documents.push({ file, path, root: rootOf(path, root), format, read });
  else work.unread++;
}

/** Returns the format of a document; null for a list. Text without an ending is more often a list. */
function documentFormatOf(
  head: string,
  name: string,
  { format }: CheckOptions,
): DocumentFormat | null {
  if (format) return format === "markdown" ? format : null;
  const byName = name === STANDARD_INPUT ? null : formatOfName(name);
  if (byName === "html") return isBookmarks(head) ? null : byName;
  if (byName && byName !== "text") return byName;
  return recognise(head) === "markdown" ? "markdown" : null;
}

async function wholeOf({ head, rest }: TextSource, format: DocumentFormat): Promise<string> {
  const { bytes, size } = longestOf(format);
  let text = head;
  for await (const piece of rest) {
    text += piece;
    if (text.length > bytes) throw new UsageError(`The document is larger than ${size}.`);
  }
  return text;
}

async function* urlsOf(io: Io, config: Config, source: TextSource, { format }: CheckOptions) {
  for await (const { items, sitemaps } of partsOf(source, format ?? recognise(source.head))) {
    if (sitemaps.length > 0) {
      throw new UsageError("An index of sitemaps has no pages itself; give one of its sitemaps.");
    }
    for (const item of items) if (isLink(io, item)) yield vetted(config, item);
  }
}

/** Reports items that are not links. */
function isLink(io: Io, { line, url, problem }: Item): boolean {
  if (problem) io.stderr.write(`${plain(`Line ${line}: ${url} left out. ${problem}`)}\n`);
  return !problem;
}

function vetted(config: Config, { url, line }: Item): string {
  if (!hasCredentials(url)) refuseInvalid(config, url, `Line ${line}: `);
  return url;
}

/** Only refuses invalid URLs: a check reports the hosts that the settings forbid. */
function refuseInvalid(config: Config, url: string, where: string) {
  const target = vetTarget(url, policyOf(config));
  if (target.ok || target.reason === "target_forbidden") return;
  throw new UsageError(`${where}${JSON.stringify(withoutCredentials(url))} ${target.problem}`);
}

const policyOf = ({ checkAllowedHosts: allowed, checkBlockedHosts: blocked }: Config) => ({
  allowed,
  blocked,
});

/** Whether a URL leads to the machine of its reader, and may not be requested from here. */
export function isOwnMachine(config: Config, url: string): boolean {
  if (!isLoopbackHost(URL.parse(url)?.hostname ?? "")) return false;
  const target = vetTarget(url, policyOf(config));
  return !target.ok && target.reason === "target_forbidden";
}
