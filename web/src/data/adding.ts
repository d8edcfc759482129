import { skipToken, useQuery } from "@tanstack/preact-query";
import { useUser } from "./session.ts";

/** A list of links on its way from text to verdicts, as much of it as the bar shows. */
export type Adding = {
  /** E-mail of the user who gave it: the next user of this tab sees nothing of it. */
  owner: string;
  stage: "reading" | "judging" | "ready" | "adding" | "added";
  /** Why the stage has halted; null while it runs or after it ends. */
  problem: Error | null;
  tally: Tally;
};

export type Tally = {
  /** Links that were added, and those that will be. */
  total: number;
  added: number;
  alive: number;
  dead: number;
  unknown: number;
  /** Whether all have been checked that still exist. */
  isComplete: boolean;
};

export const ADDING = ["adding"];

export const checkedIn = ({ alive, dead, unknown }: Tally) => alive + dead + unknown;

/** Kept among the queries, so that it outlives its sheet and an expired session, until the user signs out. */
export function useAdding<Full extends Adding = Adding>(): Full | null {
  const { email } = useUser();
  const { data } = useQuery<Full | null>({
    queryKey: ADDING,
    queryFn: skipToken,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  return data && data.owner === email ? data : null;
}
