import type { Config } from "../../ground/config/config.ts";
import type { KnownLink } from "../../judge/confirm.ts";
import type { SentinelReport } from "../../judge/online/online.ts";
import type { Held, Turn, WaitOptions } from "../../judge/politeness/site-line.ts";
import type { Response } from "../../judge/politeness/site-load.ts";
import type { Conclusion } from "../../judge/probe/conclusion.ts";
import type { CanaryKey } from "../../judge/services/canaries.ts";
import type { ProfileEntry } from "../../judge/surroundings.ts";
import type { StillSame } from "../../judge/unchanged.ts";
import type { Batch, ReadEnd, ReadJob } from "../../read/crawl/job.ts";

/** The first message to a checker process: only what checks need, and no secret of the server. */
export type CheckerSettings = Pick<
  Config,
  | "hostConcurrency"
  | "hostGapMs"
  | "ownSites"
  | "checkConcurrency"
  | "checkTimeoutMs"
  | "confirmDelaysMs"
  | "checkUserAgent"
  | "dnsServers"
  | "outboundProxy"
  | "outboundProxyResolves"
  | "extraCa"
  | "sentinels"
  | "services"
  | "logFormat"
  | "logLevel"
> & {
  /** As written in the settings. */
  allowedHosts: string;
  blockedHosts: string;
  /** This process, and how many there are. */
  index: number;
  count: number;
  /** By how many milliseconds the server's clock is ahead of this machine's. */
  aheadMs: number;
};

/** A site's line in another process. `id` names the request. */
type LineWait = { id: string; site: string } & Pick<WaitOptions, "maxHoldMs" | "isUrgent">;
type LineEnd = {
  id: string;
  site: string;
  response: { status: number; headers: [string, string][] } | null;
};

/** What a process may ask the server. Times before now are in milliseconds, since clocks differ. */
export type ServerCalls = {
  /** Asks the sentinels, so many milliseconds ago at the earliest. */
  confirm(agoMs: number): Promise<SentinelReport | null>;
  noteAnswer(answer: { finalUrl: string; headers: [string, string][] }): void;
  findProfile(host: string): Promise<ProfileEntry | null>;
  keepProfile(profile: { host: string; entry: ProfileEntry }): void;
  noteAlive(target: CanaryKey): void;
  wasAlive(target: CanaryKey): Promise<boolean>;
  /** @param gone `ask` is the number of a question for `askCanary` */
  isReliable(gone: { target: CanaryKey; isNews: boolean; ask: number }): Promise<boolean>;
  noteLoad(load: { site: string; json: string }): void;
  /** Whether a check waits for its turn at a site. */
  noteWaiting(check: { no: number; isWaiting: boolean }): void;
  takeTurn(wait: LineWait): Promise<Turn | Held>;
  hurry(line: { id: string; site: string }): void;
  /** Returns the load of the site if the response limits it, and null otherwise. */
  endTurn(end: LineEnd): Promise<string | null>;
  /** Writes what a job has read; the next batch is read when this returns. */
  takeBatch(read: { no: number; batch: Batch }): Promise<void>;
};

/** What the server may ask a process. */
export type CheckerCalls = {
  check(job: { no: number; link: KnownLink }): Promise<Conclusion | StillSame>;
  read(job: { no: number; job: ReadJob }): Promise<ReadEnd>;
  /** Ends a check or the reading of a source. */
  abort(no: number): void;
  /** Shows that the process answers, and sets its clock. */
  ping(aheadMs: number): void;
  askCanary(ask: number): Promise<boolean>;
  setClockIsOff(isOff: boolean): void;
  remember(load: { site: string; json: string }): void;
  takeTurn(wait: LineWait): Promise<Turn | Held>;
  hurry(line: { id: string }): void;
  endTurn(end: LineEnd): string | null;
};

/** Which of the processes requests a site. */
export const ownerOf = (site: string, count: number): number => Bun.hash.xxHash32(site) % count;

/** The headers of a response that say how much load its site accepts. */
const OF_LOAD = /^(retry-after|(x-)?rate-?limit)/;

export const responseToSend = ({ status, headers }: Response): LineEnd["response"] => ({
  status,
  headers: [...headers].filter(([name]) => OF_LOAD.test(name)),
});

/** Whether the site may have a cooldown after the response. */
export const mayLimit = (response: LineEnd["response"]): boolean =>
  response !== null &&
  (response.status === 429 || response.status === 503 || response.headers.length > 0);

type Handlers = { [Name in string]: (input: never) => unknown };
type Input<T extends Handlers, Name extends keyof T> = Parameters<T[Name]>[0];
type Output<T extends Handlers, Name extends keyof T> = Awaited<ReturnType<T[Name]>>;

/** A call with an `id` wants an answer. */
export type Message =
  | { call: string; input: unknown; id?: number }
  | { id: number; output: unknown }
  | { id: number; error: string };

export type Channel<Theirs extends Handlers> = {
  /** @throws what the other process threw, or the error of `close` */
  call<Name extends keyof Theirs & string>(
    name: Name,
    input: Input<Theirs, Name>,
  ): Promise<Output<Theirs, Name>>;
  /** As `call`, without an answer. */
  tell<Name extends keyof Theirs & string>(name: Name, input: Input<Theirs, Name>): void;
  receive(messages: Message[]): void;
  /** Nothing more is sent, and all calls without an answer fail. */
  close(error: Error): void;
};

/** Calls in both directions between two processes. Those of one turn of the event loop are sent together. */
export function createChannel<Ours extends Handlers, Theirs extends Handlers>(
  ours: Ours,
  send: (messages: Message[]) => void,
): Channel<Theirs> {
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let outgoing: Message[] = [];
  let last = 0;
  let closed: Error | null = null;

  function post(message: Message) {
    outgoing.push(message);
    if (outgoing.length === 1) setImmediate(flush);
  }

  function flush() {
    const messages = outgoing;
    outgoing = [];
    if (!closed) send(messages);
  }

  async function answer(id: number, handler: Handlers[string], input: unknown) {
    try {
      post({ id, output: await handler(input as never) });
    } catch (error) {
      post({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  function handle(message: Message) {
    if ("call" in message) {
      const handler = ours[message.call]!;
      if (message.id === undefined) void handler(message.input as never);
      else void answer(message.id, handler, message.input);
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if ("error" in message) call?.reject(new Error(message.error));
    else call?.resolve(message.output as never);
  }

  return {
    call(name, input) {
      const call = Promise.withResolvers<never>();
      if (closed) call.reject(closed);
      else {
        waiting.set(++last, call);
        post({ call: name, input, id: last });
      }
      return call.promise;
    },
    tell: (name, input) => post({ call: name, input }),
    receive: (messages) => messages.forEach(handle),
    close(error) {
      closed = error;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    },
  };
}
