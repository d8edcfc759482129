import { VERSION } from "../../../ground/lib/runtime.ts";
import { plainJson } from "../../../ground/lib/text.ts";
import { type Finding, isProblem, messageAt, type Status } from "../findings.ts";
import { fingerprintOf, problemsOf, type Report, type Row } from "./report.ts";

/** GitHub drops what is over, and refuses a file with more than 25,000. */
const MOST_RESULTS = 5000;

/** A report in SARIF 2.1.0, with a result for each place. */
export function sarifReport(report: Report): string {
  const rows = problemsOf(report);
  const withoutPlace = report.findings.filter(
    (finding) => isProblem(finding) && finding.places.length === 0,
  );
  const all = [...rows.map(resultAt), ...withoutPlace.map(resultOf)];
  const reasons = [...new Map(all.map(({ finding }) => [finding.reason, finding])).values()];
  const results = all.slice(0, MOST_RESULTS).map(({ finding, isKnown, message, ...result }) => ({
    ruleId: finding.reason,
    ruleIndex: reasons.findIndex(({ reason }) => reason === finding.reason),
    level: isKnown ? "note" : LEVELS[finding.status],
    message: { text: `${finding.url}: ${message}` },
    ...result,
  }));
  const left = all.length - results.length;
  const invocation = {
    executionSuccessful: true,
    ...(left > 0 && {
      toolExecutionNotifications: [
        { level: "note", message: { text: `${left.toLocaleString("en")} more were left out.` } },
      ],
    }),
  };
  const driver = {
    name: "Stillup",
    version: VERSION,
    rules: reasons.map((each) => ruleOf(each, report)),
  };
  return `${plainJson(
    {
      $schema: "https://json.schemastore.org/sarif-2.1.0.json",
      version: "2.1.0",
      runs: [
        { tool: { driver }, columnKind: "utf16CodeUnits", invocations: [invocation], results },
      ],
    },
    1,
  )}\n`;
}

const LEVELS: Record<Status, string> = { dead: "error", unknown: "warning", active: "note" };

/** What reasons mean that only a document has. */
const OF_DOCUMENTS: Record<string, string> = {
  file_missing: "There is no such file.",
  anchor_missing: "The file or page has no such anchor.",
  case_mismatch: "The file has other letters in its name.",
  line_missing: "The file has fewer lines.",
  outside_tree: "The link leads to what is not in the tree of documents.",
  bad_url: "The address is not a valid URL.",
  unreadable: "The file is not a document of its format.",
};

function ruleOf({ reason, message }: Finding, { env }: Report) {
  const ofDocuments = OF_DOCUMENTS[reason];
  const docs = docsOf(env);
  return {
    id: reason,
    shortDescription: { text: reason.replaceAll("_", " ") },
    fullDescription: { text: ofDocuments ?? message },
    ...(docs && {
      helpUri: docs + (ofDocuments ? "/check.md#links-between-files" : "/verdicts.md#reasons"),
    }),
  };
}

/** Where the documentation of this version is: the action runs from the repository that has it. */
function docsOf({ GITHUB_SERVER_URL: server, GITHUB_ACTION_REPOSITORY: name }: Report["env"]) {
  return server && name?.endsWith("/stillup") ? `${server}/${name}/blob/v${VERSION}/docs` : null;
}

const resultAt = (row: Row) => {
  const { finding, place, name } = row;
  return {
    finding,
    isKnown: place.isKnown,
    message: messageAt(finding, place),
    ...whereOf(row, place, name),
  };
};

const whereOf = (row: Row, place: Row["place"], name: string) => ({
  locations: [
    {
      physicalLocation: {
        artifactLocation: {
          uri: name.split("/").map(encodeURIComponent).join("/"),
          uriBaseId: "%SRCROOT%",
        },
        region: {
          startLine: place.line,
          startColumn: place.column,
          endColumn: place.endColumn,
        },
      },
    },
  ],
  partialFingerprints: { "stillupLink/v1": fingerprintOf(row) },
});

const resultOf = (finding: Finding) => ({
  finding,
  isKnown: undefined,
  message: finding.message,
  locations: [],
});
