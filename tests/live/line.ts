import type { TestServer } from "../harness.ts";
import type { Browser } from "../session/browser.ts";
import { waitFor } from "../waits.ts";

type State = { id: string; status: string; reason: string | null; since: string };
type Change = { topics: string[]; links: string[] | null; states: State[] | null };

/** An open line of server-sent events, read one by one. */
export async function openLine(server: TestServer, browser: Browser, lastId = "") {
  const ended = new AbortController();
  const response = await fetch(`${server.url}/dashboard/api/live`, {
    headers: { cookie: browser.cookie()!, ...(lastId && { "last-event-id": lastId }) },
    signal: ended.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = "";
  let id = "";

  async function next(): Promise<Change> {
    for (;;) {
      const end = unread.indexOf("\n\n");
      if (end >= 0) {
        const lines = unread.slice(0, end).split("\n");
        unread = unread.slice(end + 2);
        const textOf = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const data = textOf("data");
        if (!data) continue;
        id = textOf("id") ?? id;
        return JSON.parse(data);
      }
      const { value, done } = await reader.read();
      if (done) throw new Error("The line has ended.");
      unread += value;
    }
  }

  function until(fits: (change: Change) => boolean): Promise<Change> {
    const seen: string[][] = [];
    const fitting = async () => {
      for (;;) {
        const change = await next();
        if (fits(change)) return change;
        seen.push(change.topics);
      }
    };
    return waitFor(fitting(), () => `${fits}; seen: ${JSON.stringify(seen)}`);
  }

  return {
    next,
    until,
    lastId: () => id,
    /** Comes true once the server has closed it. */
    ended: async () => {
      while (!(await reader.read()).done);
    },
    close: () => ended.abort(),
  };
}
