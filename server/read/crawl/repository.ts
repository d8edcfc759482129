import { parseJson, SourceFailed } from "./fetching.ts";

export const GIT_HOSTS = ["github", "gitlab", "gitea", "forgejo"] as const;
export type GitHost = (typeof GIT_HOSTS)[number];

/** A repository, as its URL names it. */
export type Repository = {
  host: GitHost;
  /** Where people see it, without a final slash. */
  url: string;
  /** Of the API, without a final slash. Credentials are for its origin. */
  api: string;
  /** Owner and name, or groups and name. */
  path: string[];
  /** The branch, tag or commit that the URL names. */
  ref: string | null;
  /** The folder that the URL names, with a final slash; empty for all. */
  folder: string;
};

/** Sites, and words in the names of others. */
const KNOWN: [host: GitHost, name: RegExp][] = [
  ["github", /^(www\.)?github\.com$/],
  ["gitlab", /(^|\.)gitlab\./],
  ["forgejo", /^codeberg\.org$|(^|\.)forgejo\./],
  ["gitea", /(^|\.)gitea\./],
];

/**
 * Recognizes a repository by its URL, also that of one of its folders.
 * @param host what runs there, if the owner says so
 * @returns null if the URL does not name a repository
 */
export function recognizeRepository(url: URL, host?: GitHost | null): Repository | null {
  const kind = host ?? hostOf(url);
  const parts = decodedPath(url);
  if (!kind || !parts) return null;
  const { path, rest } = kind === "gitlab" ? splitGitLab(parts) : splitOthers(kind, parts);
  if (path.length < 2 || path.some(isOdd)) return null;
  path.push(path.pop()!.replace(/\.git$/, ""));
  const [ref = null, ...folder] = rest;
  return {
    host: kind,
    url: `${url.origin}/${encodedPath(path)}`,
    api: apiOf(kind, url),
    path,
    ref,
    folder: folder.length > 0 ? `${folder.join("/")}/` : "",
  };
}

function hostOf({ hostname, pathname }: URL): GitHost | null {
  const known = KNOWN.find(([, name]) => name.test(hostname));
  if (known) return known[0];
  if (pathname.includes("/-/")) return "gitlab";
  return /^\/[^/]+\/[^/]+\/src\/(branch|tag|commit)\//.test(pathname) ? "gitea" : null;
}

function decodedPath({ pathname }: URL): string[] | null {
  try {
    return pathname.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return null;
  }
}

const isOdd = (part: string) =>
  part === "" || part === "." || part === ".." || /[/\\\p{Cc}]/u.test(part);

function splitGitLab(parts: string[]) {
  const dash = parts.indexOf("-");
  const path = dash < 0 ? parts : parts.slice(0, dash);
  const rest =
    dash < 0 || !/^(tree|blob)$/.test(parts[dash + 1] ?? "") ? [] : parts.slice(dash + 2);
  return { path, rest };
}

function splitOthers(host: GitHost, [owner, name, ...more]: string[]) {
  const path = [owner, name].filter((part) => part !== undefined);
  if (host === "github")
    return { path, rest: /^(tree|blob)$/.test(more[0] ?? "") ? more.slice(1) : [] };
  return { path, rest: more[0] === "src" ? more.slice(2) : [] };
}

function apiOf(host: GitHost, { hostname, origin }: URL): string {
  if (host === "gitlab") return `${origin}/api/v4`;
  if (host !== "github") return `${origin}/api/v1`;
  return KNOWN[0]![1].test(hostname) ? "https://api.github.com" : `${origin}/api/v3`;
}

const encodedPath = (parts: string[]) => parts.map(encodeURIComponent).join("/");

/** The answer to this request names the commit of a ref. @param ref null for the default branch */
export function commitRequest(
  repository: Repository,
  ref: string | null,
): {
  url: URL;
  headers: Record<string, string>;
} {
  const { host, api, path } = repository;
  if (host === "github") {
    const url = new URL(`${api}/repos/${encodedPath(path)}/commits/${encodeRef(ref ?? "HEAD")}`);
    return { url, headers: { Accept: "application/vnd.github.sha" } };
  }
  if (host === "gitlab") {
    const commits = `${api}/projects/${encodeURIComponent(path.join("/"))}/repository/commits`;
    return { url: new URL(`${commits}/${encodeURIComponent(ref ?? "HEAD")}`), headers: JSON_ONLY };
  }
  const url = new URL(`${api}/repos/${encodedPath(path)}/commits`);
  if (ref !== null) url.searchParams.set("sha", ref);
  for (const [name, value] of [
    ["limit", "1"],
    ["stat", "false"],
    ["verification", "false"],
    ["files", "false"],
  ]) {
    url.searchParams.set(name!, value!);
  }
  return { url, headers: JSON_ONLY };
}

const JSON_ONLY = { Accept: "application/json" };

/** Slashes belong to the names of branches. */
const encodeRef = (ref: string) => ref.split("/").map(encodeURIComponent).join("/");

/** Reads the commit in the answer to `commitRequest`. @throws SourceFailed */
export function commitIn({ host }: Repository, text: string): string {
  const found = host === "github" ? text.trim() : nameIn(parseJson(text), host);
  if (/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(found)) return found;
  throw new SourceFailed("unreadable", "The answer does not name a commit.");
}

function nameIn(answer: unknown, host: GitHost): string {
  const [commit] = Array.isArray(answer) ? answer : [answer];
  const name = (commit as Record<string, unknown> | null | undefined)?.[
    host === "gitlab" ? "id" : "sha"
  ];
  return typeof name === "string" ? name : "";
}

/** The files of a commit, as a tarball. */
export function tarballUrl({ host, api, path }: Repository, commit: string): URL {
  if (host === "github") return new URL(`${api}/repos/${encodedPath(path)}/tarball/${commit}`);
  if (host === "gitlab") {
    const project = `${api}/projects/${encodeURIComponent(path.join("/"))}`;
    return new URL(`${project}/repository/archive.tar.gz?sha=${commit}`);
  }
  return new URL(`${api}/repos/${encodedPath(path)}/archive/${commit}.tar.gz`);
}

/**
 * The answer to this request names the default branch, which the pages of Gitea and Forgejo have in their addresses; the
 * others accept HEAD.
 */
export const branchUrl = ({ host, api, path }: Repository): URL | null =>
  host === "github" || host === "gitlab" ? null : new URL(`${api}/repos/${encodedPath(path)}`);

/** Reads the branch in the answer to a request for `branchUrl`. @throws SourceFailed */
export function branchIn(text: string): string {
  const { default_branch: branch } = (parseJson(text) ?? {}) as { default_branch?: unknown };
  if (typeof branch === "string" && branch !== "") return branch;
  throw new SourceFailed("unreadable", "The answer does not name the default branch.");
}

/** Returns the page of a file at a ref, which stays the same from commit to commit. */
export function filePage({ host, url }: Repository, ref: string, path: string): string {
  const end = `${encodeRef(ref)}/${encodeRef(path)}`;
  if (host === "github") return `${url}/blob/${end}`;
  if (host === "gitlab") return `${url}/-/blob/${end}`;
  return `${url}/src/${/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(ref) ? "commit" : "branch"}/${end}`;
}
