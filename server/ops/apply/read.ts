import { type Alias, type Document, isNode, LineCounter, parseDocument, visit } from "yaml";
import type * as z from "zod";
import {
  type Declaration,
  DeclarationFile,
  Misdeclared,
  type WantedGroup,
  type WantedLink,
} from "./model.ts";

type Path = readonly PropertyKey[];
type LineOf = (path: Path) => number;
type Content = z.output<typeof DeclarationFile>;
type LinkEntries = NonNullable<Content["links"]>;

/**
 * Reads YAML, of which JSON is a part.
 * @throws Misdeclared with the line of the first problem
 */
export function readDeclaration(text: string): Declaration {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw new Misdeclared(counter.linePos(broken.pos[0]).line, broken.message);
  const lineOf = createLineOf(document, counter);
  const shape = DeclarationFile.safeParse(contentOf(document, counter) ?? {});
  if (!shape.success) throw misdeclared(shape.error.issues, lineOf);
  return declarationOf(shape.data, lineOf);
}

/** What the file says, with what its aliases stand for, which yaml looks up only here. */
function contentOf(document: Document, counter: LineCounter): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const start = unresolvedAlias(document)?.range?.[0] ?? 0;
    throw new Misdeclared(counter.linePos(start).line, error.message);
  }
}

/** The first alias without an anchor above it. There is none where there are only too many aliases. */
function unresolvedAlias(document: Document): Alias | undefined {
  const anchors = new Set<string | undefined>();
  let found: Alias | undefined;
  visit(document, {
    Value: (_, { anchor }) => void anchors.add(anchor),
    Alias(_, alias) {
      if (anchors.has(alias.source)) return;
      found = alias;
      return visit.BREAK;
    },
  });
  return found;
}

/** The line where something stands, or else what is around it. */
function createLineOf(document: Document, counter: LineCounter): LineOf {
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
    }
    return 1;
  };
}

function misdeclared(issues: z.core.$ZodIssue[], lineOf: LineOf): Misdeclared {
  const [first, ...others] = issues;
  const name = first!.path.findLast((step) => typeof step === "string") ?? "the file";
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return new Misdeclared(lineOf(first!.path), `${name} ${first!.message}${more}.`);
}

function declarationOf({ groups, links }: Content, lineOf: LineOf): Declaration {
  const wanted = (groups ?? []).map(
    ({ name, description, color }, i): WantedGroup => ({
      ...{ name, description, color },
      line: lineOf(["groups", i, "name"]),
    }),
  );
  const inGroups = (groups ?? []).flatMap(({ name, frequency, links: own }, i) =>
    linksOf(own ?? [], { group: name, frequency, path: ["groups", i, "links"] }, lineOf),
  );
  const ungrouped = linksOf(links ?? [], { group: null, path: ["links"] }, lineOf);
  return { groups: wanted, links: inGroups.concat(ungrouped), hasUngrouped: links !== undefined };
}

type Around = Pick<WantedLink, "group"> & Partial<Pick<WantedLink, "frequency">> & { path: Path };

const linksOf = (entries: LinkEntries, around: Around, lineOf: LineOf) =>
  entries.map(
    ({ url, frequency = around.frequency }, i): WantedLink => ({
      ...{ url, frequency },
      group: around.group,
      line: lineOf([...around.path, i]),
    }),
  );
