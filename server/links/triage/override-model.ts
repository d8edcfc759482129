import type { Verdict } from "../../lib/vocabulary.ts";
import type { StoredEvidence } from "../../verdict/probe/conclusion.ts";

/** What a person overruled, as a check found it. */
export type Overruled = {
  status: Verdict;
  reason: string;
  status_code: number | null;
  /** The host of the final URL; null if there was none. */
  final_host: string | null;
};

/** A person's word that a link works, as it is stored. Times are in milliseconds since 1970. */
export type Override = {
  until: number;
  by: string;
  at: number;
  note: string;
  overruled: Overruled & { cause: string | null };
  /** Of the check that was overruled. */
  evidence: StoredEvidence | null;
};
