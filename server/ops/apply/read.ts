import { type Alias, type Document, isNode, LineCounter, parseDocument, visit } from "yaml";
import * as z from "zod";
import { FREQUENCIES, type Frequency } from "../../db/tables.ts";
import { color, lines, oneOf, text } from "../../lib/fields.ts";

/** Longer lists are for `import`. */
const MOST_LINKS = 100_000;

/** A link in a file. What the file does not say stays as it is. */
export type WantedLink = {
  line: number;
  url: string;
  frequency: Frequency | undefined;
  /** A name; null for no group. */
  group: string | null;
};

export type WantedGroup = {
  line: number;
  name: string;
  description: string | undefined;
  color: string | undefined;
};

/** The content of a file, with line numbers. */
export type Declaration = {
  groups: WantedGroup[];
  links: WantedLink[];
  /** Whether the file also has a list of links in no group. */
  hasUngrouped: boolean;
};

/** A part of the file cannot be applied, so nothing is. */
export class Misdeclared extends Error {
  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}`);
  }
}

/** Refuses unknown names, which would otherwise be ignored silently. */
const named = <T extends z.ZodRawShape>(fields: T) =>
  z.strictObject(fields, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? `has an unknown field: ${keys}` : "must have named fields",
  });

const Links = z
  .array(
    z.preprocess(
      (value) => (typeof value === "string" ? { url: value } : value),
      named({ url: text(2048), frequency: oneOf(FREQUENCIES).optional() }),
    ),
    "must be a list of links",
  )
  .max(MOST_LINKS, `must have at most ${MOST_LINKS} links; import takes longer lists`)
  .nullable();

const Group = named({
  name: text(100),
  description: lines(500).optional(),
  color: color().optional(),
  frequency: oneOf(FREQUENCIES).optional(),
  links: Links.optional(),
});

const DeclarationFile = named({
  groups: z.array(Group, "must be a list of groups").nullable().optional(),
  links: Links.optional(),
});

type Path = readonly PropertyKey[];
type LineOf = (path: Path) => number;
type Content = z.output<typeof DeclarationFile>;
type LinkEntries = NonNullable<Content["links"]>;

/**
 * Reads YAML, which includes JSON.
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

/** Resolves aliases, which the parser checks only here. */
function contentOf(document: Document, counter: LineCounter): unknown {
  try {
    return document.toJS();
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const start = unresolvedAlias(document)?.range?.[0] ?? 0;
    throw new Misdeclared(counter.linePos(start).line, error.message);
  }
}

/** The first alias without an anchor above it; undefined if the error is too many aliases. */
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

/** The line of a value, or of what is around it. */
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
  const linksOf = (entries: LinkEntries, path: Path, group: string | null, usual?: Frequency) =>
    entries.map(({ url, frequency = usual }, i) => ({
      ...{ url, frequency, group },
      line: lineOf([...path, i]),
    }));
  const inGroups = (groups ?? []).flatMap(({ name, frequency, links: own }, i) =>
    linksOf(own ?? [], ["groups", i, "links"], name, frequency),
  );
  return {
    groups: (groups ?? []).map(({ name, description, color }, i) => ({
      ...{ name, description, color },
      line: lineOf(["groups", i, "name"]),
    })),
    links: inGroups.concat(linksOf(links ?? [], ["links"], null)),
    hasUngrouped: links !== undefined,
  };
}
