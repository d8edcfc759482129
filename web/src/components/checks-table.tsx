import type { HistoryCheck } from "../lib/history.ts";
import { Moment } from "./moment.tsx";
import { Status } from "./status.tsx";

/** Checks of many links, so that each names its own. */
export const ChecksTable = ({ checks }: { checks: HistoryCheck[] }) => (
  <table class="checks">
    <thead>
      <tr>
        <th scope="col">Result</th>
        <th scope="col">Link</th>
        <th scope="col" class="number wide">
          Code
        </th>
        <th scope="col" class="number wide">
          Answered in
        </th>
        <th scope="col" class="wide">
          Occasion
        </th>
        <th scope="col">Checked</th>
      </tr>
    </thead>
    <tbody>
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} />
      ))}
    </tbody>
  </table>
);

const CheckRow = ({ check }: { check: HistoryCheck }) => (
  <tr>
    <td class="result">
      <Status of={check.status} />
      {check.status_changed && <span class="changed">was {check.previous_status}</span>}
    </td>
    <td class="of">
      <a class="url" href={`/links/${check.link_id}`} title={check.url}>
        {check.url}
      </a>
      <p>{check.message}</p>
    </td>
    <td class="number wide">{check.status_code ?? "–"}</td>
    <td class="number wide">
      {check.response_time_ms === null ? "–" : `${check.response_time_ms.toLocaleString("en")} ms`}
    </td>
    <td class="wide soft">{OCCASIONS[check.trigger]}</td>
    <td class="when">
      <Moment at={check.checked_at} />
    </td>
  </tr>
);

const OCCASIONS: Record<HistoryCheck["trigger"], string> = {
  scheduled: "Schedule",
  manual: "Check now",
  initial: "Added",
  batch: "Batch",
};
