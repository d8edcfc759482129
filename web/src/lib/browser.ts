import { useEffect, useState } from "preact/hooks";

/** The named texts of a submitted form. Older browsers end the lines of a textarea with CR LF. */
export function textsOf<const Name extends string>(
  event: SubmitEvent,
  names: Name[],
): Record<Name, string> {
  const form = new FormData(event.currentTarget as HTMLFormElement);
  const entries = names.map((name) => [
    name,
    String(form.get(name) ?? "").replaceAll("\r\n", "\n"),
  ]);
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** A submit handler that passes on the named texts. */
export const withTexts =
  <const Name extends string>(names: Name[], onSubmit: (texts: Record<Name, string>) => void) =>
  (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit(textsOf(event, names));
  };

/** What the browser's tab says. */
export const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} · Stillup`;
  }, [title]);

/** @param field holds the text; it is selected where the browser has no clipboard (plain http on a LAN) */
export async function copyFrom(field: HTMLTextAreaElement): Promise<boolean> {
  if (navigator.clipboard) {
    const copied = await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    );
    if (copied) return true;
  }
  field.select();
  return document.execCommand("copy");
}

/**
 * The one-time token of a link such as `/setup#token=…`. It is taken out of the address bar at once,
 * so that it stays neither in the history nor on a screenshot.
 */
export function useTokenOfLink(): string {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // A second link opened in the same tab changes the fragment only.
    const look = () => setToken((present) => takeToken() || present);
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  return token;
}

function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
  if (token) history.replaceState(null, "", location.pathname + location.search);
  return token;
}

/**
 * The address if following it is harmless. Monitored URLs and redirect targets are a stranger's
 * text: `javascript:` and the like must never become a link.
 */
export function followable(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.href : null;
}

/** Where to go after signing in. Only a path of our own: anything else would lead to strangers. */
export function ownPath(wanted: string | undefined): string {
  const url = wanted?.startsWith("/") ? URL.parse(wanted, location.origin) : null;
  const path = url?.origin === location.origin ? url.pathname + url.search : "/";
  // Of `/.//example.com` two slashes are left in front, and those lead elsewhere.
  return path.startsWith("//") ? "/" : path;
}

/** Lets the browser ask before the tab is closed during work. */
export function useAskBeforeLeaving(isBusy: boolean) {
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isBusy]);
}
