import type { FoundLink } from "../documents/document.ts";
import { formatOfName } from "../documents/formats.ts";
import { type DocumentReader, UnreadableDocument } from "../documents/reader.ts";
import { createBatches, titled } from "./batches.ts";
import { headersWith } from "./credentials.ts";
import { type Fetching, fetchContent, SourceFailed, textOf } from "./fetching.ts";
import type { Batch, JobOf, ReadEnd } from "./job.ts";
import { readingWithout } from "./parts.ts";
import { choose, compileFilePatterns } from "./patterns.ts";
import { type DocumentPlace, type Place, placesOf } from "./places.ts";
import {
  branchIn,
  branchUrl,
  commitIn,
  commitRequest,
  filePage,
  type Repository,
  recognizeRepository,
  tarballUrl,
} from "./repository.ts";
import { readTarball } from "./tarball.ts";

type HeadersFor = ReturnType<typeof headersWith>;

/** Of answers that are not a tarball. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;
/** Links to other files that may wait for the end of the tarball. */
const MOST_WAITING = 50_000;

/** Reads the documents of a repository, if it has another commit than the last complete run has read. */
export async function readRepository(
  fetching: Fetching,
  job: JobOf<"git">,
  emit: (batch: Batch) => Promise<void>,
  documents: DocumentReader,
): Promise<ReadEnd> {
  const { url, settings, credential } = job;
  const repository = recognizeRepository(new URL(url), settings.host);
  if (!repository) throw new SourceFailed("unreadable", "This URL does not name a repository.");
  const program = repository.host === "gitlab" ? "gitlab" : "other";
  const headersFor = (usual?: Record<string, string>) =>
    headersWith(credential, new URL(repository.api), usual, program);
  const given = settings.ref ?? repository.ref;
  const request = commitRequest(repository, given);
  const answer = await fetchContent(fetching, request.url, headersFor(request.headers));
  const mark = commitIn(repository, await textOf(answer, MOST_ANSWER_BYTES));
  if (mark === job.mark) return { kind: "done", mark, isUnchanged: true };
  const ref = given ?? (await defaultBranch(fetching, repository, headersFor()));
  const tarball = await fetchContent(fetching, tarballUrl(repository, mark), headersFor());
  await readFiles({ fetching, job, repository, ref, documents }, tarball.body, emit);
  return { kind: "done", mark };
}

async function defaultBranch(
  fetching: Fetching,
  repository: Repository,
  headersFor: HeadersFor,
): Promise<string> {
  const url = branchUrl(repository);
  if (!url) return "HEAD";
  return branchIn(await textOf(await fetchContent(fetching, url, headersFor), MOST_ANSWER_BYTES));
}

type Reading = {
  fetching: Fetching;
  job: JobOf<"git">;
  repository: Repository;
  ref: string;
  documents: DocumentReader;
};

/** A document with links to files that were not met yet. */
type Waiting = { path: string; title: string | null; places: (Place | MaybeMissing)[] };
type StillWaiting = Waiting & { open: number };

/** A link to a file of the repository, which is only a link if the file is missing. */
type MaybeMissing = { place: Place; path: string };

async function readFiles(
  reading: Reading,
  tarball: ReadableStream<Uint8Array>,
  emit: (batch: Batch) => Promise<void>,
): Promise<void> {
  const { job, repository, ref, fetching } = reading;
  const isChosen = choose(job.settings, compileFilePatterns);
  const isWanted = (path: string) =>
    path.startsWith(repository.folder) && formatOfName(path) !== null && isChosen(path);
  const batches = createBatches(emit);
  const tree = createTree();
  const waiting: StillWaiting[] = [];
  let [waitingLinks, tooLarge] = [0, 0];
  const page = (path: string) => ({ url: filePage(repository, ref, path), key: path, hashes: {} });
  const add = ({ path, title, places }: Waiting) =>
    batches.addPage(page(path), titled(title), settled(places, tree));

  for await (const { path, text, isTooLarge } of readTarball(tarball, isWanted)) {
    fetching.onStep?.();
    tree.add(path);
    if (text === null) {
      if (!isTooLarge || !isWanted(path)) continue;
      tooLarge++;
      await batches.add(readingWithout(page(path), "skipped", { reason: "too_large" }));
      continue;
    }
    const read = await readDocument(reading, path, text);
    if (!read) {
      await batches.add(readingWithout(page(path), "failed", { reason: "unreadable" }));
      continue;
    }
    const open = read.places.filter((place) => "path" in place && !tree.has(place.path)).length;
    if (open === 0) {
      await add(read);
      continue;
    }
    waiting.push({ ...read, open });
    waitingLinks += open;
    // What waits too long counts as missing, and its check says more.
    while (waitingLinks > MOST_WAITING) {
      const first = waiting.shift()!;
      waitingLinks -= first.open;
      await add(first);
    }
  }
  for (const each of waiting) await add(each);
  const notes =
    tooLarge > 0 ? [`${tooLarge} documents are larger than 2 MiB and were not read.`] : [];
  await batches.flush({ notes });
}

async function readDocument(
  { job, repository, ref, documents }: Reading,
  path: string,
  text: string,
): Promise<Waiting | null> {
  try {
    const { links, base, title } = await documents.read({
      text,
      name: path,
      format: formatOfName(path)!,
    });
    const { base_url: baseUrl } = job.settings;
    if (baseUrl !== null) {
      const from = new URL(base ?? "", new URL(encodePath(path), baseUrl)).href;
      return { path, title, places: placesOf(links, from, []).places.map(withoutNofollow) };
    }
    return { path, title, places: placesInTree(links, path, filePage(repository, ref, path)) };
  } catch (error) {
    if (error instanceof UnreadableDocument) return null;
    throw error;
  }
}

const encodePath = (path: string) => path.split("/").map(encodeURIComponent).join("/");

const withoutNofollow = ({ isNofollow, ...place }: DocumentPlace): Place => place;

/** Stands for the root of the repository, to which links with a slash in front are relative. */
const ROOT = "https://repository.invalid/";

/** Links without a host lead to files of the repository. */
function placesInTree(links: FoundLink[], path: string, page: string): Waiting["places"] {
  const at = new URL(encodePath(path), ROOT).href;
  const folder = page.slice(0, page.length - encodePath(path).length);
  return placesOf(links, at, []).places.flatMap((found): Waiting["places"] => {
    const place = withoutNofollow(found);
    if (!place.url.startsWith(ROOT)) return [place];
    const inside = place.url.slice(ROOT.length).replace(/\?.*/, "");
    const target = decodePath(inside).replace(/\/$/, "");
    return target === path ? [] : [{ place: { ...place, url: folder + inside }, path: target }];
  });
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const settled = (places: Waiting["places"], tree: Tree): Place[] =>
  places.flatMap((each) => {
    if (!("path" in each)) return [each];
    return tree.has(each.path) ? [] : [each.place];
  });

type Tree = { add(path: string): void; has(path: string): boolean };

/** Remembers files and folders by hashes, since there may be many. */
function createTree(): Tree {
  const hashes = new Set<number>([hashOf("")]);
  return {
    add(path) {
      for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
        const before = hashes.size;
        hashes.add(hashOf(path.slice(0, end)));
        if (hashes.size === before) return;
      }
    },
    has: (path) => hashes.has(hashOf(path)),
  };
}

/** As many bits as a number has. */
const hashOf = (path: string) => Number(BigInt.asUintN(53, BigInt(Bun.hash(path))));
