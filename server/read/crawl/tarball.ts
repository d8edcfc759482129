import { SourceFailed } from "./fetching.ts";

/** A file of a tarball, by its path within the first folder. */
export type TarballFile = {
  path: string;
  /** Null for files that are not wanted, and for those that are too large. */
  text: string | null;
  isTooLarge: boolean;
};

const MIB = 1024 * 1024;
const MOST_PACKED = 1024 * MIB;
const MOST_UNPACKED = 4 * 1024 * MIB;
const MOST_ENTRIES = 200_000;
const MOST_IN_FILE = 2 * MIB;
/** No repository packs better than this, unless it is small. */
const HIGHEST_RATIO = 200;
const SMALL = 64 * MIB;

/**
 * Yields the files of a packed tarball while it arrives, with the texts of those that are wanted, one at a time. Links,
 * and what is not below the first folder, are passed by.
 * @throws SourceFailed `too_large`, `cut_off`, `unreadable`
 */
export async function* readTarball(
  packed: ReadableStream<Uint8Array>,
  isWanted: (path: string) => boolean,
): AsyncGenerator<TarballFile, void> {
  const { createTarDecoder } = await import("modern-tar");
  const limits = createLimits();
  const entries = packed
    .pipeThrough(limits.packed)
    .pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>)
    .pipeThrough(limits.unpacked)
    .pipeThrough(createTarDecoder({ strict: true }));
  let folder: string | null = null;
  let count = 0;
  try {
    for await (const { header, body } of entries) {
      if (++count > MOST_ENTRIES) {
        throw new SourceFailed(
          "too_large",
          `The repository has more than ${MOST_ENTRIES} entries.`,
        );
      }
      const [first, ...inner] = header.name.split("/");
      folder ??= first!;
      const path = inner.join("/");
      const isFile = header.type === "file" && first === folder && isPlain(inner);
      const isTooLarge = header.size > MOST_IN_FILE;
      if (isFile && isWanted(path) && !isTooLarge) {
        yield { path, text: await textIn(body), isTooLarge };
      } else {
        await body.cancel();
        if (isFile) yield { path, text: null, isTooLarge };
      }
    }
  } catch (error) {
    throw limits.failure() ?? failureOf(error);
  }
  if (folder === null) throw new SourceFailed("unreadable", "The tarball is empty.");
}

/** Whether a path stays below its folder on every system. */
const isPlain = (parts: string[]) =>
  parts.length > 0 &&
  !parts.some((part) => part === "" || part === "." || part === ".." || /[\\\p{Cc}]/u.test(part));

async function textIn(body: ReadableStream<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return new TextDecoder().decode(Buffer.concat(pieces));
}

/** Counts bytes before and after they are unpacked. Keeps the first failure, since streams pass on others. */
function createLimits() {
  let [packedLength, length] = [0, 0];
  let failed: SourceFailed | null = null;
  const refuse = (what: string) => {
    failed ??= new SourceFailed("too_large", `The repository is too large: ${what}.`);
    throw failed;
  };
  return {
    packed: new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        packedLength += piece.length;
        if (packedLength > MOST_PACKED) refuse("more than 1 GB packed");
        controller.enqueue(piece);
      },
    }),
    unpacked: new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        length += piece.length;
        if (length > MOST_UNPACKED) refuse("more than 4 GB unpacked");
        if (length > SMALL && length > packedLength * HIGHEST_RATIO)
          refuse("a file unpacks without end");
        controller.enqueue(piece);
      },
    }),
    failure: () => failed,
  };
}

function failureOf(error: unknown): unknown {
  if (error instanceof SourceFailed) return error;
  const text = String(error);
  return /truncated|end of file/i.test(text)
    ? new SourceFailed("cut_off", "The tarball ends early.")
    : new SourceFailed("unreadable", "The tarball is damaged.");
}
