/** Links of a thousand numbers, newest first: each list has one place for each of them. */
export type LinkPart = {
  /** As the database counted them when this was read. */
  changes: number;
  /** The first of the thousand, to which `nos` are added. */
  first: number;
  nos: Uint16Array;
  /** URLs in lower case, with line breaks between them, which no URL has in it. */
  text: string;
  /** Where in `text` each of them begins. */
  starts: Uint32Array;
  services: Uint16Array;
  statuses: Uint16Array;
  groups: Uint32Array;
  frequencies: Uint8Array;
};

export type PartRow = [
  no: number,
  url: string,
  service: string,
  status: string,
  groupId: string | null,
  frequency: string,
];

/** What is left out may be anything. Words are given as their codes. */
export type Wanted = {
  text: string | undefined;
  service: number | undefined;
  status: number | undefined;
  group: number | undefined;
  frequency: number | undefined;
  checking: { nos: Set<number>; areWanted: boolean } | undefined;
};

/**
 * Gives each word a number of its own, from 1. No word is forgotten, since parts that are kept have its number:
 * there are as many as services and groups that links had since the thread began, some 100 bytes each.
 */
export function createCodes() {
  const codes = new Map<string, number>();
  return {
    of: (word: string): number => {
      const code = codes.get(word) ?? codes.size + 1;
      codes.set(word, code);
      return code;
    },
    /** For a word with matches; one without is not cached. */
    known: (word: string): number => codes.get(word) ?? NO_CODE,
  };
}

/** Of no link. */
const NO_CODE = -1;

export type Codes = Record<
  "services" | "statuses" | "groups" | "frequencies",
  ReturnType<typeof createCodes>
>;

/** Of links in no group as well. */
export const codeOfGroup = (codes: Codes, groupId: string | null): number =>
  groupId === null ? 0 : codes.groups.known(groupId);

/** @param rows newest first */
export function toPart(codes: Codes, first: number, changes: number, rows: PartRow[]): LinkPart {
  const part: LinkPart = {
    changes,
    first,
    nos: new Uint16Array(rows.length),
    text: rows.map(([, url]) => url).join("\n"),
    starts: new Uint32Array(rows.length),
    services: new Uint16Array(rows.length),
    statuses: new Uint16Array(rows.length),
    groups: new Uint32Array(rows.length),
    frequencies: new Uint8Array(rows.length),
  };
  let start = 0;
  rows.forEach(([no, url, service, status, groupId, frequency], i) => {
    part.nos[i] = no - first;
    part.starts[i] = start;
    part.services[i] = codes.services.of(service);
    part.statuses[i] = codes.statuses.of(status);
    part.groups[i] = groupId === null ? 0 : codes.groups.of(groupId);
    part.frequencies[i] = codes.frequencies.of(frequency);
    start += url.length + 1;
  });
  return part;
}

/** Visits the links that fit, newest first. */
export function findIn(part: LinkPart, wanted: Wanted, visit: (no: number) => void): void {
  const { nos, starts, text, first } = part;
  for (let i = 0; i < nos.length; i++) {
    if (wanted.text !== undefined) {
      const at = text.indexOf(wanted.text, starts[i]);
      if (at < 0) return;
      while (i + 1 < nos.length && starts[i + 1]! <= at) i++;
    }
    if (fits(part, i, wanted)) visit(first + nos[i]!);
  }
}

function fits(part: LinkPart, i: number, wanted: Wanted): boolean {
  const { service, status, group, frequency, checking } = wanted;
  return (
    (service === undefined || part.services[i] === service) &&
    (status === undefined || part.statuses[i] === status) &&
    (group === undefined || part.groups[i] === group) &&
    (frequency === undefined || part.frequencies[i] === frequency) &&
    (!checking || checking.nos.has(part.first + part.nos[i]!) === checking.areWanted)
  );
}
