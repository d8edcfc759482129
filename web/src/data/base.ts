import { options } from "preact";

/** The path below which the server serves everything, such as "/stillup"; "" for the root of a host. */
const BASE = (document.querySelector<HTMLMetaElement>("meta[name=base]")?.content ?? "").replace(
  /\/$/,
  "",
);

/** The server has no path of its own that begins with the base, so a path has it or lacks it. */
const hasBase = (path: string) =>
  path.startsWith(BASE) && /^([/?#]|$)/.test(path.slice(BASE.length));

/** A path of the dashboard or the API as the browser needs it. */
export const withBase = (path: string) => (BASE !== "" && hasBase(path) ? path : BASE + path);

/** A path of the browser as the dashboard knows it. */
export function withoutBase(path: string): string {
  if (!hasBase(path)) return path;
  const rest = path.slice(BASE.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** A path with the host, for use outside of this page. */
export const absolute = (path: string) => location.origin + withBase(path);

const isPath = (value: unknown): value is string =>
  typeof value === "string" && /^\/(?!\/)/.test(value);

/** Adds the base to the paths that elements lead to or load, so that pages need not know it. */
export function addBaseToElements() {
  if (BASE === "") return;
  const before = options.vnode;
  options.vnode = (vnode) => {
    const props: { children?: unknown; href?: unknown; src?: unknown } = vnode.props;
    if (vnode.type === "a" && isPath(props.href)) props.href = withBase(props.href);
    if (vnode.type === "iframe" && isPath(props.src)) props.src = withBase(props.src);
    before?.(vnode);
  };
}
