import { createTurns, oneAtATime } from "../../ground/lib/concurrency.ts";
import { AppError, invalid } from "../../ground/lib/errors.ts";
import { yieldToEventLoop } from "../../ground/lib/steps.ts";
import type { Caller } from "../../http/caller.ts";
import { createDocumentReader, UnreadableDocument } from "../../read/documents/reader.ts";
import { recognise } from "../../read/lists/formats.ts";
import { type ListPart, openList, partsOf } from "../../read/lists/read-bytes.ts";
import { newReading, Unreadable } from "../../read/lists/reading.ts";
import type { Deps, SaveReply } from "../../work/deps.ts";
import { beginImport, dropImport, endReading } from "./imports.ts";
import { countsOf, type ShownImport, totalOf } from "./items.ts";
import type { ImportQuery } from "./model.ts";
import { PART } from "./part.ts";

/** The limit of the bytes of a list, compressed or not: a thousandth of them may unpack to as much. */
export const UPLOAD_LIMIT = 50 * 1024 * 1024;
const MOST_ITEMS = 1_000_000;
/** Read between two pauses: a few milliseconds of work. */
const STRIDE = 128 * 1024;
/** Lists that are read at once: one of an account, so that slow ones leave room for those of others. */
const inTurn = createTurns({ atOnce: 4, mostWaiting: 100 });

const documents = createDocumentReader();

const readDocument = (text: string, format: "markdown" | "html") =>
  documents.read({ text, name: "", format }).catch((error) => {
    throw error instanceof UnreadableDocument ? new Unreadable(error.message) : error;
  });

/** An object of so many characters takes about half a second, in which nothing else is done. */
const GIVEN = { readDocument, mostWhole: 6 * 1024 * 1024 };

/** Claims the idempotency key of an upload, once all of it has arrived. */
type Upload = {
  body: ReadableStream<Uint8Array> | null;
  query: ImportQuery;
  /** @param hash of all that was sent */
  claim(hash: string): Promise<SaveReply<ShownImport>>;
};

/**
 * Reads a list while it arrives, and previews it.
 * @throws VALIDATION_ERROR for what cannot be read; PAYLOAD_TOO_LARGE
 */
export const takeUpload = (deps: Deps, caller: Caller, upload: Upload): Promise<ShownImport> =>
  oneAtATime(`read a list of ${caller.accountId}`, () =>
    inTurn(() => take(deps, caller, upload), caller.accountId),
  );

async function take(deps: Deps, caller: Caller, { body, query, claim }: Upload) {
  const { name = "", updates = false } = query;
  const hasher = new Bun.CryptoHasher("sha256");
  const notes: string[] = [];
  const bytes = limited(body, (piece) => hasher.update(piece));
  const options = {
    name: name ? `“${name}”` : "The list",
    onRemark: (remark: string) => notes.push(remark),
    onUnpacked: createLimit(),
  };
  const text = await openList(bytes, options).catch(refuse);
  const format = query.format ?? recognise(text.head);
  const { row, add } = await beginImport(deps, caller, {
    name: name || null,
    format,
    options: {
      group: null,
      frequency: null,
      overrides: false,
      usesGroups: true,
      updates,
      withState: false,
    },
  });
  try {
    const reading: ListPart = newReading();
    for await (const part of partsOf(text, format, GIVEN)) {
      gather(reading, part, notes.splice(0));
      const room = MOST_ITEMS - totalOf(countsOf(row));
      if (reading.items.length > room) {
        reading.items.length = room;
        reading.notes.push("Only the first 1,000,000 links are read. Add the rest separately.");
        await add(emptied(reading));
        break;
      }
      if (reading.items.length >= PART) await add(emptied(reading));
    }
    await add(emptied(reading));
    const saveReply = await claim(hasher.digest("hex"));
    return await endReading(deps, row, caller, saveReply);
  } catch (error) {
    await dropImport(deps, row);
    return refuse(error);
  }
}

function gather(reading: ListPart, { items, notes, sitemaps }: ListPart, before: string[]) {
  for (const item of items) reading.items.push(item);
  reading.notes.push(...before, ...notes);
  reading.sitemaps.push(...sitemaps);
}

const emptied = ({ items, notes, sitemaps }: ListPart): ListPart => ({
  items: items.splice(0),
  notes: notes.splice(0),
  sitemaps: sitemaps.splice(0),
});

/** What was read before the problem is in no list that anyone has seen. */
function refuse(error: unknown): never {
  throw error instanceof Unreadable ? invalid({ body: [error.message] }, error.message) : error;
}

async function* limited(
  body: ReadableStream<Uint8Array> | null,
  onPiece: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const count = createLimit();
  for await (const chunk of body ?? []) {
    count(chunk);
    onPiece(chunk);
    for (let at = 0; at < chunk.length; at += STRIDE) {
      if (at > 0) await yieldToEventLoop();
      yield chunk.subarray(at, at + STRIDE);
    }
  }
}

/** @returns a function that counts pieces. @throws PAYLOAD_TOO_LARGE, from that function */
function createLimit(): (piece: Uint8Array) => void {
  let size = 0;
  return ({ length }) => {
    size += length;
    if (size <= UPLOAD_LIMIT) return;
    throw new AppError(
      "PAYLOAD_TOO_LARGE",
      `A list can have at most ${UPLOAD_LIMIT / 1024 / 1024} MiB, also unpacked. Split it into several.`,
    );
  };
}
