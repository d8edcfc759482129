import type { Caller } from "../../api/caller.ts";
import type { GroupRow } from "../../db/tables.ts";
import { exportedLinks } from "../../links/exports/export-rows.ts";
import type { ExportedLink } from "../../links/exports/model.ts";
import { NO_GROUP } from "../../links/filter.ts";
import { openGroupBook } from "../../links/groups/groups.ts";
import type { Deps } from "../../work/deps.ts";

/** All groups and links as YAML, some lines at a time, such that applying it again changes nothing. */
export async function* declaredLinks(deps: Deps, caller: Caller): AsyncGenerator<string> {
  const groups = (await openGroupBook(deps, caller)).all();
  yield groups.length === 0 ? "groups: []\n" : "groups:\n";
  for (const group of groups) {
    yield headOf(group);
    yield* linesOf(deps, caller, { groupId: group.id, indent: "    " });
  }
  yield* linesOf(deps, caller, { groupId: NO_GROUP, indent: "" });
}

const headOf = ({ name, description, color }: GroupRow) =>
  [
    `  - name: ${quoted(name)}`,
    ...(description === null ? [] : [`    description: ${quoted(description)}`]),
    `    color: ${quoted(color)}`,
    "",
  ].join("\n");

type Place = { groupId: string; indent: string };

async function* linesOf(deps: Deps, caller: Caller, { groupId, indent }: Place) {
  let isAny = false;
  for await (const links of exportedLinks(deps, caller, { group_id: groupId })) {
    yield `${isAny ? "" : `${indent}links:\n`}${links.map(lineOf(indent)).join("")}`;
    isAny = true;
  }
  if (!isAny) yield `${indent}links: []\n`;
}

const lineOf = (indent: string) => (link: ExportedLink) =>
  `${indent}  - url: ${quoted(link.url)}\n${indent}    frequency: ${link.checkFrequency}\n`;

/** A text of JSON is one of YAML, whatever stands in it. */
const quoted = (text: string) => JSON.stringify(text);
