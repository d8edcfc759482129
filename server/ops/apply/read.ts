import { type Alias, type Document, isNode, LineCounter, parseDocument, visit } from "yaml";
import * as z from "zod";
import type { Env } from "../../ground/config/config.ts";
import { color, lines, oneOf, text } from "../../ground/lib/fields.ts";
import { FREQUENCIES, type Frequency } from "../../ground/lib/vocabulary.ts";
import { HostSettingChange, NewHostSetting } from "../../hosts/model.ts";
import type { LinkEdit } from "../../links/edit.ts";
import { DECLARED } from "../../links/fields/registry.ts";
import { ScheduleField } from "../../links/fields/schedule.ts";
import type { GroupChange } from "../../links/groups/model.ts";
import { Credential, type CredentialInput, NewSource, SourceChange } from "../../sources/model.ts";

/** Longer lists are for `import`. */
const MOST_LINKS = 100_000;

/** A link in a file. What the file does not say stays as it is. */
export type WantedLink = {
  line: number;
  url: string;
  frequency: Frequency | undefined;
  /** A name; null for no group. */
  group: string | null;
  /** What it says of the link otherwise, under the names of the API. */
  about: LinkEdit;
};

export type WantedGroup = {
  line: number;
  name: string;
  description: string | undefined;
  color: string | undefined;
  check_schedule: GroupChange["check_schedule"];
};

/** A setting for a host, with the values of the variables that the file names. */
export type WantedHost = {
  line: number;
  host: string;
  /** Its headers are all that the host is to have. */
  change: Omit<HostSettingChange, "host">;
  /** The variables that it names. */
  variables: string[];
  /** @param field what is wrong, as errors of the API name it: "headers[0].value" */
  lineOf: (field: string) => number;
};

/** A source, with the value of the variable that the file names. */
export type WantedSource = {
  line: number;
  name: string;
  kind: NewSource["kind"];
  url: string | null | undefined;
  /** A name; null for no group. */
  group: string | null | undefined;
  /** Without a value where the file names no variable. */
  credential: WantedCredential | null | undefined;
  change: Pick<SourceChange, "settings" | "check_frequency" | "schedule" | "time_zone" | "paused">;
  /** The variables that it names. */
  variables: string[];
  /** @param field what is wrong, as errors of the API name it: "settings.depth" */
  lineOf: (field: string) => number;
};

export type WantedCredential = Omit<CredentialInput, "value"> & { value: string | undefined };

/** The content of a file, with line numbers. */
export type Declaration = {
  groups: WantedGroup[];
  links: WantedLink[];
  /** Undefined if the file says nothing of hosts. */
  hosts: WantedHost[] | undefined;
  /** Undefined if the file says nothing of sources. */
  sources: WantedSource[] | undefined;
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

const Schedule = named(ScheduleField.shape).nullable().optional();

const Links = z
  .array(
    z.preprocess(
      (value) => (typeof value === "string" ? { url: value } : value),
      named({
        url: text(2048),
        frequency: oneOf(FREQUENCIES).optional(),
        ...DECLARED,
        check_schedule: Schedule,
      }),
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
  check_schedule: Schedule,
  links: Links.optional(),
});

/** Secrets of this server are in its settings. */
const variable = () =>
  z
    .string("must be the name of an environment variable")
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable")
    .refine((name) => !name.startsWith("STILLUP_"), "must not be a setting of Stillup")
    .optional();

const { user_agent, allow_http } = HostSettingChange.shape;

/** The values come from variables, so that they are in no file. Without one, a known value stays. */
const Host = named({
  host: NewHostSetting.shape.host,
  headers: z
    .array(named({ name: z.string("must be a text"), value_env: variable() }), "must be a list")
    .nullable()
    .optional(),
  auth: z
    .discriminatedUnion(
      "type",
      [
        named({
          type: z.literal("basic"),
          user: z.string("must be a text"),
          password_env: variable(),
        }),
        named({ type: z.literal("bearer"), token_env: variable() }),
      ],
      "must be basic or bearer",
    )
    .nullable()
    .optional(),
  user_agent,
  allow_http,
});

const Source = named({
  name: NewSource.shape.name,
  kind: NewSource.shape.kind,
  url: SourceChange.shape.url,
  group: text(100).nullable().optional(),
  credential: named({
    type: Credential.shape.type,
    name: Credential.shape.name,
    user: Credential.shape.user,
    value_env: variable(),
  })
    .nullable()
    .optional(),
  settings: SourceChange.shape.settings,
  check_frequency: SourceChange.shape.check_frequency,
  schedule: SourceChange.shape.schedule,
  time_zone: SourceChange.shape.time_zone,
  paused: SourceChange.shape.paused,
});

const DeclarationFile = named({
  hosts: z.array(Host, "must be a list of hosts").nullable().optional(),
  sources: z.array(Source, "must be a list of sources").nullable().optional(),
  groups: z.array(Group, "must be a list of groups").nullable().optional(),
  links: Links.optional(),
});

type Path = readonly PropertyKey[];
type LineOf = (path: Path) => number;
type Content = z.output<typeof DeclarationFile>;
type LinkEntries = NonNullable<Content["links"]>;

/**
 * Reads YAML, which includes JSON.
 * @param env has the variables that the file names
 * @throws Misdeclared with the line of the first problem
 */
export function readDeclaration(text: string, env: Env = {}): Declaration {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw new Misdeclared(counter.linePos(broken.pos[0]).line, broken.message);
  const lineOf = createLineOf(document, counter);
  const shape = DeclarationFile.safeParse(contentOf(document, counter) ?? {});
  if (!shape.success) throw misdeclared(shape.error.issues, lineOf);
  const { hosts, sources } = shape.data;
  return {
    ...declarationOf(shape.data, lineOf),
    hosts: hosts === undefined ? undefined : wantedHosts(hosts ?? [], lineOf, env),
    sources: sources === undefined ? undefined : wantedSources(sources ?? [], lineOf, env),
  };
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

const lastName = (path: Path) =>
  String(path.findLast((step) => typeof step === "string") ?? "the file");

function misdeclared(
  issues: z.core.$ZodIssue[],
  lineOf: LineOf,
  nameOf: (path: Path) => string = lastName,
): Misdeclared {
  const [first, ...others] = issues;
  const name = nameOf(first!.path);
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return new Misdeclared(lineOf(first!.path), `${name} ${first!.message}${more}.`);
}

function declarationOf(
  { groups, links }: Content,
  lineOf: LineOf,
): Omit<Declaration, "hosts" | "sources"> {
  const linksOf = (entries: LinkEntries, path: Path, group: string | null, usual?: Frequency) =>
    entries.map(({ url, frequency = usual, ...about }, i) => ({
      url,
      frequency,
      group,
      about,
      line: lineOf([...path, i]),
    }));
  const inGroups = (groups ?? []).flatMap(({ name, frequency, links: own }, i) =>
    linksOf(own ?? [], ["groups", i, "links"], name, frequency),
  );
  return {
    groups: (groups ?? []).map(({ name, description, color, check_schedule }, i) => ({
      name,
      description,
      color,
      check_schedule,
      line: lineOf(["groups", i, "name"]),
    })),
    links: inGroups.concat(linksOf(links ?? [], ["links"], null)),
    hasUngrouped: links !== undefined,
  };
}

const VARIABLES: Record<string, string> = {
  value: "value_env",
  password: "password_env",
  token: "token_env",
};

/** What the file has for a field of the API: the name of a variable in place of a secret. */
export const inFile = (field: string): string =>
  Object.hasOwn(VARIABLES, field) ? VARIABLES[field]! : field;

const pathInFile = (path: Path): PropertyKey[] =>
  path.map((step) => (typeof step === "string" ? inFile(step) : step));

function wantedHosts(entries: z.output<typeof Host>[], lineOf: LineOf, env: Env): WantedHost[] {
  const seen = new Map<string, number>();
  return entries.map((entry, i) => {
    const line = lineOf(["hosts", i, "host"]);
    const first = seen.get(entry.host);
    if (first) throw new Misdeclared(line, `The host ${entry.host} is already on line ${first}.`);
    seen.set(entry.host, line);
    return wantedHost(entry, { line, env, lineOf: (path) => lineOf(["hosts", i, ...path]) });
  });
}

function wantedSources(
  entries: z.output<typeof Source>[],
  lineOf: LineOf,
  env: Env,
): WantedSource[] {
  const seen = new Map<string, number>();
  return entries.map((entry, i) => {
    const line = lineOf(["sources", i, "name"]);
    const first = seen.get(entry.name);
    if (first)
      throw new Misdeclared(line, `The source "${entry.name}" is already on line ${first}.`);
    seen.set(entry.name, line);
    return wantedSource(entry, { line, env, lineOf: (path) => lineOf(["sources", i, ...path]) });
  });
}

function wantedSource(
  { name, kind, url, group, credential, ...change }: z.output<typeof Source>,
  { line, env, lineOf }: Around,
): WantedSource {
  const variable = credential?.value_env;
  const path = ["credential", "value_env"];
  const value = valueFrom(variable, env, () => lineOf(path));
  const read = Credential.shape.value.optional().safeParse(value);
  if (!read.success)
    throw misdeclared(
      read.error.issues,
      () => lineOf(path),
      () => `the value of ${variable}`,
    );
  return {
    line,
    name,
    kind,
    url,
    group,
    change,
    credential: credential && {
      type: credential.type,
      name: credential.name,
      user: credential.user,
      value,
    },
    variables: variable === undefined ? [] : [variable],
    lineOf: lineOfField(lineOf),
  };
}

type Around = { line: number; env: Env; lineOf: LineOf };

/** @throws Misdeclared if it is not set */
function valueFrom(variable: string | undefined, env: Env, line: () => number): string | undefined {
  if (variable === undefined) return undefined;
  const value = env[variable];
  if (!value) throw new Misdeclared(line(), `The variable ${variable} is not set.`);
  return value;
}

const lineOfField = (lineOf: LineOf) => (field: string) =>
  lineOf(
    pathInFile(
      field
        .split(/[.[\]]+/)
        .filter(Boolean)
        .map(asStep),
    ),
  );

function wantedHost(
  { host, headers, auth, ...rest }: z.output<typeof Host>,
  { line, env, lineOf }: Around,
): WantedHost {
  const variables = new Map<string, string>();
  const readVariable = (variable: string | undefined, path: Path) => {
    const value = valueFrom(variable, env, () => lineOf(path));
    if (variable !== undefined) variables.set(path.join("."), variable);
    return value;
  };
  const read = HostSettingChange.safeParse({
    ...rest,
    headers: headers?.map(({ name, value_env: variable }, i) => ({
      name,
      value: readVariable(variable, ["headers", i, "value_env"]),
    })),
    auth:
      auth?.type === "basic"
        ? {
            type: auth.type,
            user: auth.user,
            password: readVariable(auth.password_env, ["auth", "password_env"]),
          }
        : auth && { type: auth.type, token: readVariable(auth.token_env, ["auth", "token_env"]) },
  });
  if (!read.success) {
    const issues = read.error.issues.map((issue) => ({ ...issue, path: pathInFile(issue.path) }));
    throw misdeclared(issues, lineOf, (path) => {
      const variable = variables.get(path.join("."));
      return variable ? `the value of ${variable}` : lastName(path);
    });
  }
  return {
    line,
    host,
    variables: [...new Set(variables.values())],
    change: headers === null ? { ...read.data, headers: [] } : read.data,
    lineOf: lineOfField(lineOf),
  };
}

const asStep = (step: string) => (/^\d+$/.test(step) ? Number(step) : step);
