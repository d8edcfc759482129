import { existsSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../../ground/lib/errors.ts";

/** With `/`, as URLs, globs and ignore files have it. */
export const slashed = (path: string) => (sep === "/" ? path : path.replaceAll(sep, "/"));

/** Names are shown as the command line has them: from the working folder on, if they are in it. */
export function shownName(path: string): string {
  const name = relative(process.cwd(), path);
  return slashed(name.startsWith("..") || isAbsolute(name) ? path : name);
}

const repositories = new Map<string, string | null>();

/** Returns the work tree of Git around a folder. */
export function repositoryOf(folder: string): string | null {
  const known = repositories.get(folder);
  if (known !== undefined) return known;
  const above = dirname(folder);
  const found = existsSync(join(folder, ".git"))
    ? folder
    : above === folder
      ? null
      : repositoryOf(above);
  repositories.set(folder, found);
  return found;
}

/** Whether a path is a folder or below it. */
export const isInside = (folder: string, path: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * Returns the tree that a file belongs to: the root that is given if the file is in it, else its repository, else the
 * working folder if the file is in that. Null for none.
 */
export const treeOf = (path: string, root?: string): string | null => treeIn(dirname(path), root);

/** The tree that a folder belongs to. */
export function treeIn(folder: string, root: string | undefined): string | null {
  if (root !== undefined && isInside(root, folder)) return root;
  const cwd = process.cwd();
  return repositoryOf(folder) ?? (isInside(cwd, folder) ? cwd : null);
}

/**
 * Returns where a path below a root really is, as a path below that root. Null if symbolic links lead out of it or to
 * what Git keeps, such as its credentials: a change from outside may have made them.
 */
export function pathWithin(root: string, path: string): string | null {
  const [realRoot, real] = [realOf(root), realOf(path)];
  if (realRoot === null || real === null || !isInside(realRoot, real)) return null;
  const names = relative(realRoot, real);
  return names.split(sep).some((name) => name.toLowerCase() === ".git") ? null : join(root, names);
}

/** @throws UsageError for a file of a tree that is a link out of it; any other file may be named. */
export function refuseOutside(path: string, root?: string): void {
  const tree = treeOf(resolve(path), root);
  if (tree !== null && pathWithin(tree, resolve(path)) === null)
    throw new UsageError(outside(path));
}

const MOST_HOPS = 40;

/** Also for what is not there yet: null where links lead round in a circle. */
function realOf(path: string, hops = MOST_HOPS): string | null {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    const folder = hops === 0 ? null : above === path ? path : realOf(above, hops - 1);
    if (folder === null) return null;
    const target = targetOfLink(path);
    if (target !== null) return realOf(resolve(folder, target), hops - 1);
    return join(folder, basename(path));
  }
}

function targetOfLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** Why a file is not read. */
export const outside = (path: string) =>
  `“${shownName(path)}” is not read: a symbolic link leads out of the tree; see --root.`;
