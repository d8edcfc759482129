import { useEffect, useState } from "preact/hooks";

export const useTitle = (title: string) =>
  useEffect(() => {
    document.title = `${title} · Stillup`;
  }, [title]);

/** Copies the text of a field, and selects it if the browser has no clipboard (plain HTTP on a LAN). */
export async function copyFrom(field: HTMLTextAreaElement): Promise<boolean> {
  const copied = await navigator.clipboard?.writeText(field.value).then(
    () => true,
    () => false,
  );
  if (copied) return true;
  field.select();
  return document.execCommand("copy");
}

/** Copies a text that no field contains. */
export async function copyText(text: string): Promise<boolean> {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  const isDone = await copyFrom(field);
  field.remove();
  return isDone;
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

const PHONE = "(max-width: 720px)";

/** Whether the window is as narrow as a phone. */
export function useIsPhone(): boolean {
  const [isPhone, setPhone] = useState(() => matchMedia(PHONE).matches);
  useEffect(() => {
    const media = matchMedia(PHONE);
    const look = () => setPhone(media.matches);
    media.addEventListener("change", look);
    return () => media.removeEventListener("change", look);
  }, []);
  return isPhone;
}
