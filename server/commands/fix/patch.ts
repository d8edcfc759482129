import { relative } from "node:path";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { CheckedDocument } from "../check/documents.ts";
import { isInside, slashed } from "../check/within.ts";

/**
 * Returns the change of one file as `git apply` and `patch -p1` take it in the working folder, or for a file that is
 * elsewhere, in its own tree. Bytes stay what they are, whatever their encoding.
 */
export function patchOf({ path, root }: CheckedDocument, before: Buffer, after: Buffer): Buffer {
  const cwd = process.cwd();
  const name = slashed(relative(isInside(cwd, path) ? cwd : root, path));
  // A tab says where a name with spaces ends.
  const header = name.includes(" ") ? " " : undefined;
  const [old, now] = [before.toString("latin1"), after.toString("latin1")];
  const patch = createTwoFilesPatch(`a/${name}`, `b/${name}`, old, now, header, header, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return Buffer.from(patch, "latin1");
}
