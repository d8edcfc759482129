import { lazy } from "preact-iso";

const RELOADED = "stillup.reloaded";
/** Where an older and a newer server take turns, reloading again would never end. */
const RARELY_MS = 60_000;

/**
 * Loads a page when it is first shown. After an upgrade the server has other files than the page that is
 * open knows of, which is then loaded anew, once.
 * @param otherwise what is shown when that is not the reason, or was of no use
 */
export function lazyPage<Page>(load: () => Promise<Page>, otherwise: Page): Page {
  const instead = async () => {
    if (!(await isUpgraded()) || !mayReload()) return otherwise;
    location.reload();
    return new Promise<Page>(() => {});
  };
  return lazy(() => load().catch(instead));
}

/** Whether the server's pages begin with another script than this one did. */
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
  const isSoon = Date.now() - Number(sessionStorage.getItem(RELOADED)) < RARELY_MS;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  return !isSoon;
}
