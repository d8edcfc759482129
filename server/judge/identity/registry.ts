import type { DomainState } from "../../ground/lib/vocabulary.ts";
import type { RegistryAnswer } from "./rdap.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A registry is asked once in so long, and first so long after a link of the domain was active. */
export const ASKED_EVERY_MS = 7 * DAY_MS;

/** What is known from the registry of a domain. Times are milliseconds since 1970. */
export type DomainFacts = {
  state: DomainState;
  registeredAt: number | null;
  /** When a second answer, a day or more after the first, had the same registration. */
  registrationConfirmedAt: number | null;
  expiresAt: number | null;
  /** When a second answer in a row, a day or more after the first, last said that there is no such domain. */
  absentConfirmedAt: number | null;
  /** The last answer. */
  checkedAt: number | null;
};

export const UNASKED: DomainFacts = {
  state: "unasked",
  registeredAt: null,
  registrationConfirmedAt: null,
  expiresAt: null,
  absentConfirmedAt: null,
  checkedAt: null,
};

/** What is kept of answers, to compare the next one with. */
export type Answered = Pick<
  DomainFacts,
  "registeredAt" | "registrationConfirmedAt" | "expiresAt" | "absentConfirmedAt"
> & { registrationSeenAt: number | null; absentSince: number | null };

/** Returns what is known after an answer at `now`. One answer alone confirms nothing. */
export function afterAnswer(
  before: Answered,
  answer: RegistryAnswer,
  now: number,
): Answered & { state: DomainState } {
  if (answer.kind === "absent") {
    const absentSince = before.absentSince ?? now;
    return {
      state: "absent",
      registeredAt: null,
      registrationSeenAt: null,
      registrationConfirmedAt: null,
      expiresAt: null,
      absentSince,
      absentConfirmedAt: now - absentSince >= DAY_MS ? now : before.absentConfirmedAt,
    };
  }
  const { registeredAt, expiresAt } = answer;
  const isSame = registeredAt !== null && registeredAt === before.registeredAt;
  const seenAt = isSame ? (before.registrationSeenAt ?? now) : now;
  const confirmedAt = isSame ? before.registrationConfirmedAt : null;
  return {
    state: "known",
    registeredAt,
    registrationSeenAt: seenAt,
    registrationConfirmedAt: confirmedAt ?? (isSame && now - seenAt >= DAY_MS ? now : null),
    expiresAt,
    absentSince: null,
    absentConfirmedAt: before.absentConfirmedAt,
  };
}

/** Whether the answer is news that only another one can confirm: a domain that came or went since it is known. */
export const isUnconfirmed = (after: ReturnType<typeof afterAnswer>, notedAt: number): boolean =>
  after.state === "absent"
    ? (after.absentConfirmedAt ?? 0) < after.absentSince! + DAY_MS
    : (after.registeredAt ?? 0) > notedAt && after.registrationConfirmedAt === null;

/** Corrections, time zones and moves of registries change a date by less. */
export const ROOM_MS = 48 * HOUR_MS;

/** The sign R: the domain was registered after the page was remembered. */
export const isRegisteredAgain = (
  { state, registeredAt }: Pick<DomainFacts, "state" | "registeredAt">,
  rememberedAt: number,
): boolean => state === "known" && registeredAt !== null && registeredAt >= rememberedAt + ROOM_MS;

/** What is reported of a link, without being a reason to call it dead. */
type Report = {
  kind: "domain_registered_again" | "domain_expiring" | "certificate_expiring";
  before: null;
  after: string;
  sentence: string;
};

/** @param registeredAt what two answers have shown */
export const registeredAgain = (domain: string, registeredAt: number): Report => ({
  kind: "domain_registered_again",
  before: null,
  after: dayOf(registeredAt),
  sentence: `${domain} was registered on ${dayOf(registeredAt)}, after this link was first seen in order.`,
});

/** Registrations and certificates that expire within this time are reported. */
export const EXPIRY_SOON_MS = 14 * DAY_MS;

export const domainExpiring = (domain: string, expiresAt: number): Report => ({
  kind: "domain_expiring",
  before: null,
  after: dayOf(expiresAt),
  sentence: `The registration of ${domain} expires on ${dayOf(expiresAt)}.`,
});

/**
 * Returns how often the expiry of a certificate should have been reported by now. The times follow from its lifetime,
 * since certificates of 90, 47 and 6 days are renewed at different moments. Without one nothing is reported.
 */
export function certificateReports(
  expiresAt: number,
  lifetimeMs: number | null,
  now: number,
): 0 | 1 | 2 {
  const leftMs = expiresAt - now;
  const firstMs = Math.min((lifetimeMs ?? 0) / 6, EXPIRY_SOON_MS);
  if (leftMs <= 0 || leftMs >= firstMs) return 0;
  return leftMs < firstMs / 3 ? 2 : 1;
}

export const certificateExpiring = (host: string, expiresAt: number): Report => ({
  kind: "certificate_expiring",
  before: null,
  after: dayOf(expiresAt),
  sentence: `The certificate of ${host} expires on ${dayOf(expiresAt)} and was not renewed in time.`,
});

const DAY = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const dayOf = (at: number) => DAY.format(at);
