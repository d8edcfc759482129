import { useEffect, useState } from "preact/hooks";

/** Older browsers end the lines of a textarea with CR LF. */
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

export const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} · Stillup`;
  }, [title]);

/** @param field contains the text; it is selected if the browser has no clipboard (plain HTTP on a LAN) */
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
 * The one-time token of a link such as `/setup#token=…`, which is removed from the address bar to keep it
 * out of the history and of screenshots.
 */
export function useTokenOfLink(): string {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // A second link in the same tab changes only the fragment.
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
 * Returns the URL if opening it is harmless. Monitored URLs and redirect targets are untrusted: `javascript:`
 * and the like must never become a link.
 */
export function followable(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.href : null;
}

/** Returns where to go after signing in: only a path of this origin, to prevent open redirects. */
export function ownPath(wanted: string | undefined): string {
  const url = wanted?.startsWith("/") ? URL.parse(wanted, location.origin) : null;
  const path = url?.origin === location.origin ? url.pathname + url.search : "/";
  // `/.//example.com` normalizes to two leading slashes, which lead to another host.
  return path.startsWith("//") ? "/" : path;
}

/** Makes the browser ask before the tab is closed. */
export function useAskBeforeLeaving(isBusy: boolean) {
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isBusy]);
}
