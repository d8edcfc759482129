import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import { createTransport, type NodemailerError, type Transporter } from "nodemailer";
import type { Config } from "../ground/config/config.ts";
import { type Smtp, smtpOf } from "../ground/config/smtp.ts";
import type { Clock } from "../ground/lib/clock.ts";
import { describeError, log } from "../ground/lib/log.ts";
import { isInDomains, readMailAddress } from "../ground/lib/mail-address.ts";
import { createRate } from "../ground/lib/rate.ts";
import type { Mail, MailOutcome, MailServer } from "../ground/net/mail.ts";
import {
  mayConnect,
  parseAddress,
  parseHostList,
  type TargetPolicy,
} from "../ground/net/policy.ts";
import { createResolver, type Resolver } from "../ground/net/resolve.ts";

/** Returns the mail server of the settings; null without one. Private addresses are allowed, since the operator chose it. */
export function openMailServer(
  config: Config,
  clock: Clock,
  hooks: Pick<MailOptions, "onProblem" | "onSent" | "onDialogue">,
): MailServer | null {
  const smtp = smtpOf(config);
  return (
    smtp &&
    createMailServer({
      ...hooks,
      smtp,
      clock,
      publicUrl: config.publicUrl!,
      extraCa: config.extraCa,
      resolver: createResolver({ clock, servers: config.dnsServers }),
      policy: { allowed: parseHostList("external,private,loopback"), blocked: parseHostList("") },
    })
  );
}

type MailOptions = {
  smtp: Smtp;
  /** The name after the @ of message ids. */
  publicUrl: string;
  extraCa: Config["extraCa"];
  clock: Clock;
  resolver: Resolver;
  policy: TargetPolicy;
  /** Gets the problem when the server stops working, and null when it works again. */
  onProblem(problem: string | null): void;
  /** Gets how each message ended. */
  onSent?(kind: string, outcome: string, durationMs: number): void;
  /** Gets what both sides say, without secrets and without the message. */
  onDialogue?(line: string): void;
};

const CONNECT_MS = 5_000;
const GREETING_MS = 10_000;
const WHOLE_MS = 45_000;
const IDLE_MS = 60_000;
const FIRST_REST_MS = 30_000;
const LONGEST_REST_MS = 600_000;
const LONGEST_REPLY = 1000;

function createMailServer(options: MailOptions): MailServer {
  const { smtp, clock } = options;
  const pools = createPools(options);
  const health = createHealth(options);
  const rate = createRate(() => smtp.perMinute, clock);
  let running = 0;

  async function send(mail: Mail, signal?: AbortSignal): Promise<MailOutcome> {
    const startedAt = clock.elapsed();
    running++;
    rate.count();
    try {
      const ended = await sendBy(options, pools, mail, signal);
      health.note(ended);
      const durationMs = Math.round(clock.elapsed() - startedAt);
      const outcome = ended.kind === "replied" ? ended.what : ended.kind;
      options.onSent?.(mail.kind, outcome, durationMs);
      return { ...ended, durationMs } as MailOutcome;
    } finally {
      running--;
    }
  }

  const places = () =>
    health.restMs() > 0 ? 0 : Math.min(health.most(), running + Math.max(0, rate.left()));
  return {
    send,
    places,
    free: () => places() - running,
    waitMs: health.restMs,
    domains: smtp.domains,
    mayWriteTo: (address) => isInDomains(address, smtp.domains),
    state: () => ({
      host: smtp.host,
      port: smtp.port,
      security: smtp.security,
      from: smtp.from,
      ...health.state(),
    }),
    close: pools.close,
  };
}

/** Without how long it took. */
type Ended = MailOutcome extends infer O
  ? O extends unknown
    ? Omit<O, "durationMs">
    : never
  : never;

async function sendBy(
  options: MailOptions,
  pools: Pools,
  mail: Mail,
  signal?: AbortSignal,
): Promise<Ended> {
  // Read again, since the library takes several addresses, and commands, out of one text.
  const to = readMailAddress(mail.to);
  if (!to.ok)
    return { kind: "replied", code: 0, reply: `The address ${to.problem}.`, what: "refused" };
  const limit = AbortSignal.timeout(WHOLE_MS);
  try {
    const pool = await pools.current();
    const sent = await pool.sendMail({
      ...messageOf(options, mail, to.address),
      // Its type is missing in the library's.
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    return { kind: "replied", ...replyOf(sent.response ?? ""), what: "sent" };
  } catch (error) {
    if (signal?.aborted) return { kind: "aborted" };
    if (limit.aborted) return { kind: "timeout" };
    return explain(options.smtp, error as NodemailerError);
  }
}

/** The same bytes at every attempt. */
function messageOf({ smtp, publicUrl }: MailOptions, mail: Mail, to: string) {
  const { hostname } = new URL(publicUrl);
  const thread = mail.thread && `<${mail.thread}@${hostname}>`;
  return {
    envelope: { from: smtp.from, to: [to] },
    from: { name: mail.fromName, address: smtp.from },
    to,
    ...(smtp.replyTo && { replyTo: smtp.replyTo }),
    subject: mail.subject,
    date: new Date(mail.at),
    messageId: `<${mail.id}@${hostname}>`,
    ...(thread && { references: thread, inReplyTo: thread }),
    // RFC 3834 §5, and the header by which Exchange decides.
    headers: {
      "Auto-Submitted": "auto-generated",
      "X-Auto-Response-Suppress": "All",
      ...mail.headers,
    },
    text: mail.text,
    html: mail.html,
    baseBoundary: mail.id,
  };
}

const replyOf = (response: string) => ({
  code: Number(response.slice(0, 3)) || 0,
  reply: response.slice(0, LONGEST_REPLY),
});

/** RFC 5321 §4.2.1 and RFC 3463 §3.2: what a reply says about the message, the recipient or the server. */
function explain({ user }: Smtp, error: NodemailerError): Ended {
  const text = error.response ?? error.message;
  const reply = withoutSecrets(text, user?.password).slice(0, LONGEST_REPLY);
  const code = error.responseCode ?? 0;
  const isAboutMail =
    ["RCPT TO", "DATA"].includes(error.command ?? "") || error.code === "EMESSAGE";
  // 421: the server closes the connection, whatever was asked.
  if (!isAboutMail || code === 421 || code < 400) return { kind: "server", reply };
  if (code < 500) return { kind: "replied", code, reply, what: "later" };
  const isUnknown = error.command === "RCPT TO" && NO_RECIPIENT.test(text);
  return { kind: "replied", code, reply, what: isUnknown ? "no_recipient" : "refused" };
}

const NO_RECIPIENT = /^(550|551|553)[ -]5\.1\.\d/;

/** Servers may repeat what they were sent. */
function withoutSecrets(text: string, password: string | undefined): string {
  if (!password) return text;
  // AUTH PLAIN encodes it together with the name (RFC 4616 §2).
  const holdsPassword = (word: string) => Buffer.from(word, "base64").toString().includes(password);
  return text
    .replaceAll(password, "…")
    .replace(/[A-Za-z0-9+/]{4,}={0,2}/g, (word) => (holdsPassword(word) ? "…" : word));
}

type Pools = ReturnType<typeof createPools>;

/** Keeps connections to the address that the name resolves to now. */
function createPools(options: MailOptions) {
  const { smtp, publicUrl, extraCa, resolver, policy, onDialogue } = options;
  let current: { address: string; pool: Transporter } | null = null;

  async function addressNow(): Promise<string> {
    const { host } = smtp;
    const found = parseAddress(host)
      ? { ok: true as const, addresses: [host] }
      : await resolver.resolve(host);
    if (!found.ok) throw new Error(`Looking up ${host} failed (${found.reason}).`);
    const allowed = found.addresses.filter((address) => mayConnect(policy, host, address));
    const kept = allowed.find((address) => address === current?.address) ?? allowed[0];
    if (!kept) throw new Error(`${host} leads to an address that is never connected to.`);
    return kept;
  }

  return {
    async current(): Promise<Transporter> {
      const address = await addressNow();
      if (current?.address === address) return current.pool;
      current?.pool.close();
      const pool = createTransport({
        pool: true,
        host: address,
        port: smtp.port,
        name: new URL(publicUrl).hostname,
        secure: smtp.security === "tls",
        requireTLS: smtp.security === "starttls",
        ignoreTLS: smtp.security === "none",
        ...(smtp.user && { auth: { user: smtp.user.name, pass: smtp.user.password } }),
        tls: {
          ...(!isIP(smtp.host) && { servername: smtp.host }),
          ...(extraCa && { ca: [...rootCertificates, extraCa] }),
        },
        maxConnections: smtp.connections,
        maxMessages: 100,
        maxRequeues: 1,
        connectionTimeout: CONNECT_MS,
        greetingTimeout: GREETING_MS,
        socketTimeout: WHOLE_MS,
        idleTimeout: IDLE_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(onDialogue && dialogueOf(smtp, onDialogue)),
      });
      pool.on("error", (error) => log.debug("mail connection ended", describeError(error)));
      current = { address, pool };
      return pool;
    },
    close: () => current?.pool.close(),
  };
}

/**
 * After a failure of the server nothing is sent for a while, longer each time; then one message shows whether it works
 * again. Messages are not to blame, so their attempts do not count.
 */
function createHealth({ smtp, clock, onProblem }: MailOptions) {
  let problem: string | null = null;
  let lastReply: string | null = null;
  let lastSuccessAt: number | null = null;
  let [restMs, restUntil] = [0, 0];

  function fail(reply: string) {
    // It was sent before the failure that began the rest.
    if (clock.elapsed() < restUntil) return;
    restMs = Math.min(Math.max(FIRST_REST_MS, restMs * 2), LONGEST_REST_MS);
    restUntil = clock.elapsed() + restMs;
    if (problem === null) log.warn("mail server failed", { host: smtp.host, reply });
    problem = reply;
    onProblem(`The mail server ${smtp.host} does not accept mail: ${reply}`);
  }

  function recover() {
    restMs = 0;
    if (problem === null) return;
    problem = null;
    log.info("mail server works again", { host: smtp.host });
    onProblem(null);
  }

  const restMsLeft = () => Math.max(0, Math.ceil(restUntil - clock.elapsed()));
  return {
    restMs: restMsLeft,
    /** How many may run: one while it is not known whether the server works again. */
    most: () => (problem === null ? smtp.connections : 1),
    note(ended: Ended) {
      if (ended.kind === "aborted" || ended.kind === "timeout") return;
      lastReply = ended.reply;
      if (ended.kind === "server") return fail(ended.reply);
      recover();
      if (ended.what === "sent") lastSuccessAt = clock.now();
    },
    state: () => ({
      lastSuccessAt,
      lastReply,
      problem,
      restMs: restMsLeft(),
    }),
  };
}

/** Options by which the library reports the dialogue. */
function dialogueOf({ user }: Smtp, onLine: (line: string) => void) {
  const SIDES: Record<string, string> = { server: "S: ", client: "C: " };
  const report = ({ tnx }: { tnx?: string }, text: string, ...values: unknown[]) => {
    const line = values.reduce<string>((all, value) => all.replace("%s", String(value)), text);
    for (const each of line.split(/\r?\n/)) {
      onLine((SIDES[tnx ?? ""] ?? "# ") + withoutSecrets(each, user?.password));
    }
  };
  const logger = {
    trace() {},
    debug: report,
    info: report,
    warn: report,
    error: report,
    fatal: report,
  };
  return { transactionLog: true, logger: { ...logger, level() {} } };
}
