import type { AppError, FieldProblems } from "../lib/errors.ts";

const NAMES: Record<string, string> = {
  url: "The URL",
  check_frequency: "The frequency",
  group_id: "The group:",
};

/** Why an item was refused, in sentences: problems of fields are ends of such that begin with its name. */
export function reasonOf({ message, details }: AppError): string {
  const entries = Object.entries((details?.fields ?? {}) as FieldProblems);
  if (entries.length === 0) return message;
  return entries
    .map(([name, problems]) => `${NAMES[name] ?? name} ${problems.join(", ")}.`)
    .join(" ");
}
