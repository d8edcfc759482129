import type { Caller } from "../api/caller.ts";
import type { FieldProblems } from "../lib/errors.ts";
import { problemsOf } from "../lib/fields.ts";
import { chunksOf, yieldToEventLoop } from "../lib/steps.ts";
import { parseTarget } from "../net/address.ts";
import type { Deps } from "../work/deps.ts";
import { existingGroups } from "./exist.ts";
import { groupIdIn } from "./group-id.ts";
import { NewLink } from "./model.ts";

/** Takes about 3 ms. */
const READ_AT_ONCE = 200;

/** An item as it will be stored, or what is wrong with it. */
export type ReadItem = { input: unknown } & (
  | { fields: NewLink; url: URL }
  | { problems: FieldProblems }
);

/** Reads each item on its own; what they name in the database is looked up for all at once. */
export async function readItems(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
): Promise<ReadItem[]> {
  const asked = new Set(inputs.map(groupIdIn).filter((id) => id !== null));
  const known = await existingGroups(deps, caller.accountId, [...asked]);
  const read: ReadItem[] = [];
  for (const some of chunksOf(READ_AT_ONCE, inputs)) {
    if (read.length > 0) await yieldToEventLoop();
    read.push(...some.map((input) => readItem(deps, input, known)));
  }
  return read;
}

function readItem({ config }: Deps, input: unknown, knownGroups: Set<string>): ReadItem {
  const shape = NewLink.safeParse(input);
  const problems = shape.success ? {} : problemsOf(shape.error);
  const raw = (input as { url?: unknown } | null)?.url;
  const policy = { allowed: config.checkAllowedHosts, blocked: config.checkBlockedHosts };
  const target =
    typeof raw === "string" && !problems.url
      ? parseTarget(raw.trim(), policy, "STILLUP_CHECK_ALLOWED_HOSTS")
      : null;
  if (target && !target.ok) problems.url = [target.problem];
  const groupId = groupIdIn(input);
  if (groupId && !knownGroups.has(groupId)) problems.group_id = ["no such group"];
  if (!shape.success || !target?.ok || Object.keys(problems).length > 0) return { input, problems };
  return { input, fields: shape.data, url: target.url };
}
