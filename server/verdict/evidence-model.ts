import * as z from "zod";
import { ONLINE_STATES } from "./online.ts";

const Attempt = z.object({
  at: z.string().meta({ format: "date-time" }),
  profile: z.string().meta({ example: "A" }),
  outcome: z.enum(["answered", "failed"]),
  status: z.int().meta({ example: 200 }).nullable(),
  reason: z.string().meta({ example: "ok" }),
  detail: z.string().nullable().meta({ example: null }),
  elapsed_ms: z.int().meta({ example: 182 }),
  address: z.string().meta({ example: "93.184.215.14" }).nullable(),
});

const Redirect = z.object({
  url: z.string(),
  status: z.int(),
  via: z.enum(["location", "refresh"]),
});

const Probe = z.object({
  asked: z.enum(["sibling", "root", "home", "subdomain", "service", "canary"]),
  url: z.string(),
  status: z.int().nullable(),
  reason: z.string().nullable(),
  final_url: z.string().nullable(),
});

const Signal = z.object({ rule: z.string(), text: z.string() });

const Monitor = z.object({
  state: z.enum(ONLINE_STATES),
  asked_at: z.string(),
  sentinels: z.array(z.object({ address: z.string(), answered: z.boolean() })),
});

/** What a check saw: enough for anyone to judge its verdict. */
export const Evidence = z
  .object({
    attempts: z.array(Attempt),
    redirects: z.array(Redirect),
    final_url: z.string().nullable(),
    address: z.string().nullable(),
    tls_expires_at: z.string().nullable(),
    signals: z.array(Signal),
    probes: z.array(Probe),
    notes: z.array(z.string()),
    monitor: Monitor.nullable(),
    flapping: z.boolean(),
    cause: z.string().nullable(),
  })
  .meta({
    id: "Evidence",
    example: {
      redirects: [],
      final_url: "https://example.com/a",
      address: "93.184.215.14",
      signals: [],
      probes: [],
      notes: [],
      monitor: null,
      flapping: false,
      cause: null,
    },
  });
type Evidence = z.infer<typeof Evidence>;

/** As it is kept. What is absent was not seen, or not looked for by the version that checked. */
export type StoredEvidence = Partial<Omit<Evidence, "redirects">> & {
  redirects?: (Omit<Evidence["redirects"][number], "via"> & { via?: "location" | "refresh" })[];
};

/** @param stored the JSON of a `StoredEvidence` */
export function toEvidence(stored: string | null): Evidence | null {
  if (stored === null) return null;
  const evidence = JSON.parse(stored) as StoredEvidence;
  return {
    attempts: evidence.attempts ?? [],
    redirects: (evidence.redirects ?? []).map((hop) => ({ ...hop, via: hop.via ?? "location" })),
    final_url: evidence.final_url ?? null,
    address: evidence.address ?? null,
    tls_expires_at: evidence.tls_expires_at ?? null,
    signals: evidence.signals ?? [],
    probes: evidence.probes ?? [],
    notes: evidence.notes ?? [],
    monitor: evidence.monitor ?? null,
    flapping: evidence.flapping ?? false,
    cause: evidence.cause ?? null,
  };
}
