import { RotateCw } from "lucide-preact";
import type { FunctionComponent } from "preact";
import { useEffect } from "preact/hooks";
import { lazy } from "preact-iso";
import { isReachable } from "../data/monitor.ts";
import { Button } from "../ui/button.tsx";
import { useBar } from "./bar.tsx";

const UPGRADED = "stillup.reloaded";
/** If an older and a newer server take turns, reloading at every page would never end. */
const UPGRADE_PAUSE_MS = 60_000;

const RELOADED = "stillup.missing";
const PROBE_MS = 2_000;
const RELOAD_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Loads a page when it is first shown. After an upgrade the server no longer has the files that the open document
 * refers to, so the document is reloaded once. If that does not help, the page says that it is missing.
 */
export function lazyPage<Props>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
): FunctionComponent<Props> {
  const fallBack = async () => {
    if ((await isUpgraded()) && mayReload()) {
      location.reload();
      await new Promise((resolve) => setTimeout(resolve, RELOAD_PAUSE_MS));
    }
    return { default: MissingPage };
  };
  loadEarly(load);
  return lazy(() => load().catch(fallBack));
}

/** By then the first view has all it needs. */
const EARLY_MS = 1_500;

const wait = () =>
  new Promise<unknown>((resolve) => setTimeout(() => requestIdleCallback(resolve), EARLY_MS));
/** One page after another, in free moments. */
let last: Promise<unknown> | undefined;

/** Loads what the first view does not need after it. */
export function loadEarly(load: () => Promise<unknown>) {
  // A failure shows when the page is opened.
  last = (last ?? wait()).then(load).catch(() => {});
}

/** Whether the server's HTML now refers to another script. */
async function isUpgraded(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    const isPage = answer.ok && answer.headers.get("content-type")?.startsWith("text/html");
    return isPage === true && !(await answer.text()).includes(script?.getAttribute("src") ?? "");
  } catch {
    return false;
  }
}

function mayReload(): boolean {
  const isSoon = Date.now() - Number(sessionStorage.getItem(UPGRADED)) < UPGRADE_PAUSE_MS;
  sessionStorage.setItem(UPGRADED, String(Date.now()));
  return !isSoon;
}

/** Browsers may remember that a script could not be loaded, so only reloading the document helps. */
function MissingPage() {
  useEffect(keepReloading, []);
  return (
    <div class="empty" role="alert">
      <h1>This page could not be loaded</h1>
      <p>
        The server cannot be reached, or it was upgraded. The page reloads as soon as the server
        answers.
      </p>
      <Button icon={RotateCw} onClick={reload}>
        Try again
      </Button>
    </div>
  );
}

/**
 * Reloads when the server answers, and again while the document is still there, since a browser may give up a
 * reload. The pauses grow because a reload also cancels the one before it, which may only be slow.
 * @returns a function that ends it
 */
function keepReloading(): () => void {
  let timer = setTimeout(attempt, pauseSinceLast());
  let pauseMs = RELOAD_PAUSE_MS;
  let isOver = false;
  async function attempt() {
    const isAnswering = !document.hidden && (await isReachable());
    if (isOver) return;
    timer = setTimeout(attempt, isAnswering ? pauseMs : PROBE_MS);
    if (!isAnswering) return;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    reload();
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function reload() {
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
}

/** The document before this one may just have reloaded for the same reason. */
function pauseSinceLast(): number {
  const since = Date.now() - Number(sessionStorage.getItem(RELOADED));
  return Math.min(Math.max(RELOAD_PAUSE_MS - since, 0), RELOAD_PAUSE_MS);
}

export function NotFoundPage() {
  useBar({ crumbs: [{ label: "Page not found" }] });
  return (
    <div class="empty">
      <h1>Page not found</h1>
      <p>The address may be wrong, or the page was moved.</p>
      <Button href="/">Go to the overview</Button>
    </div>
  );
}
