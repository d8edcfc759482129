import { type Ask, dead, type Kind, means, type Rule, type Service } from "../record.ts";

/** The service requires a proof of work first, or is unavailable. */
const MEGA_TROUBLE: Rule[] = [
  means("service_rate_limited", { status: [402, 509] }),
  means("service_unavailable", { status: 500 }),
  means("service_unavailable", megaCode("3|18")),
  means("service_rate_limited", megaCode("4|27")),
];

/** A negative number in place of a file or of a folder's listing: alone, first in a list, or in an object. */
function megaCode(numbers: string) {
  return { matches: String.raw`(?:^ ?\[? ?|"e(?:rr)?" ?: ?)-(?:${numbers})(?!\d)` };
}

/** What the numbers mean for the link. */
const MEGA_CODES: Rule[] = [
  // The state of the owner's account, sent with the number: suspended.
  dead("service_account_gone", "C1", {
    matches: String.raw`^ ?\[? ?\{[^[\]{}]{0,500}"u" ?: ?7(?!\d)`,
  }),
  dead("service_not_found", "C1", megaCode("2|7|9|11")),
  dead("service_takedown", "C1", megaCode("16")),
  dead("service_expired", "C1", megaCode("8")),
  // MEGA's own apps treat this as a deleted account; others treat it as a rate limit.
  { ...megaCode("6"), means: "service_account_gone", hours: 1 },
  means("ok_service_protected", megaCode("17")),
];

/** A bare number may be about any of several files, so each file is then requested alone. */
const MEGA_REFUSES_ALL: Rule = means("next", { bytes: { max: "-99".length } });

const megaFileAsk = (rules: Rule[]): Ask => ({
  url: "https://g.api.mega.co.nz/cs?id={random}",
  json: [{ a: "g", p: "{id}" }],
  rules: [...MEGA_TROUBLE, ...rules],
});

const MEGA_FILE: Pick<Kind, "ask" | "page"> = {
  ask: [
    {
      ...megaFileAsk([
        MEGA_REFUSES_ALL,
        ...MEGA_CODES,
        means("ok_service", { json: { s: { exists: true }, at: { exists: true } } }),
      ]),
      batch: { most: 100, answers: { by: "position" } },
    },
    megaFileAsk([
      ...MEGA_CODES,
      means("ok_service", { json: { "0.s": { exists: true }, "0.at": { exists: true } } }),
    ]),
  ],
  page: "never",
};

/** For requests within a folder, a bare number means that the folder does not exist. */
const megaFolder = (
  command: { [name: string]: string | number },
  live: Rule,
): Pick<Kind, "ask" | "page"> => ({
  ask: {
    url: "https://g.api.mega.co.nz/cs?id={random}&n={folder}",
    json: [command],
    rules: [...MEGA_TROUBLE, ...MEGA_CODES, live],
  },
  page: "never",
});

const MEGA_FOLDER = megaFolder(
  { a: "f", c: 1, r: 1, ca: 1 },
  // A long listing is truncated and then not valid JSON.
  means("ok_service", { matches: String.raw`"f" ?: ?\[ ?\{` }),
);

const MEGA_FILE_IN_FOLDER = megaFolder(
  { a: "g", n: "{node}" },
  means("ok_service", { json: { "0.s": { exists: true }, "0.at": { exists: true } } }),
);

const ID = String.raw`[\w-]{8}`;

/** Separators within an address, which may be percent-encoded. */
const BANG = "(?:!|%21)";
const SPLIT = `(?:%23|${BANG})`;

/** The part after `#`, which may be percent-encoded and then belongs to the path. */
const oldKinds = (kind: string, pattern: string, request: Pick<Kind, "ask" | "page">): Kind[] => [
  { kind, path: "^/(?:embed/?)?$", fragment: `^${pattern}`, ...request },
  { kind: `${kind}-packed`, path: `^/(?:embed/?)?%23${pattern}`, ...request },
];

/** The app, which is the same for every address. */
const MEGA_APP: Pick<Kind, "page"> = { page: { needsMarker: true } };

export const MEGA_SERVICES: Service[] = [
  {
    id: "mega",
    name: "MEGA",
    hosts: ["mega.nz", "mega.co.nz", "mega.io"],
    confidence: "H",
    kinds: [
      // The key after `#` belongs to the link, but is not needed to find the file.
      {
        kind: "file-in-folder",
        path: `^/folder/(?<folder>${ID})/?$`,
        fragment: `^[^/]{0,100}/file/(?<node>${ID})/?$`,
        ...MEGA_FILE_IN_FOLDER,
      },
      {
        kind: "file-in-folder-packed",
        path: `^/folder/(?<folder>${ID})${SPLIT}[^/]{0,100}/file/(?<node>${ID})/?$`,
        ...MEGA_FILE_IN_FOLDER,
      },
      {
        kind: "folder",
        path: `^/folder/(?<folder>${ID})(?:/|${SPLIT}(?!.*/file/).*)?$`,
        fragment: "^(?!.*/file/)",
        ...MEGA_FOLDER,
      },
      {
        kind: "file",
        path: `^/(?:file|embed)/${BANG}?(?<id>${ID})(?:(?:/|${SPLIT}).*)?$`,
        ...MEGA_FILE,
      },
      ...oldKinds(
        "old-file-in-folder",
        String.raw`F${BANG}(?<folder>${ID})${BANG}[^!?]{0,100}(?:\?|%3F)(?<node>${ID})$`,
        MEGA_FILE_IN_FOLDER,
      ),
      // Percent-encoded except for the mark before the file, so that the file is in the query.
      {
        kind: "old-file-in-folder-by-query",
        path: `^/%23F${BANG}(?<folder>${ID})${BANG}`,
        query: `^(?<node>${ID})$`,
        ...MEGA_FILE_IN_FOLDER,
      },
      // The format that other programs write.
      ...oldKinds(
        "node",
        String.raw`N${BANG}(?<node>${ID})${BANG}[\w-]{0,100}=*(?:#|${SPLIT}){3}n=(?<folder>${ID})$`,
        MEGA_FILE_IN_FOLDER,
      ),
      ...oldKinds(
        "old-folder",
        String.raw`F${BANG}(?<folder>${ID})(?:(?:${BANG}|\?).*)?$`,
        MEGA_FOLDER,
      ),
      ...oldKinds("old-file", `${BANG}(?<id>${ID})(?:${BANG}.*)?$`, MEGA_FILE),
      ...oldKinds("old-other", `[A-Z]?${BANG}`, MEGA_APP),
      {
        kind: "other",
        path: "^/(?:file|folder|embed|chat|collection|filerequest|megadrop)/.",
        ...MEGA_APP,
      },
    ],
  },
];
