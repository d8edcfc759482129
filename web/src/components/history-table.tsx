import type { Check } from "../lib/links.ts";
import { Moment } from "./moment.tsx";
import { Status } from "./status.tsx";

export const HistoryTable = ({ checks }: { checks: Check[] }) => (
  <table class="history">
    <thead>
      <tr>
        <th scope="col">Checked</th>
        <th scope="col">Result</th>
        <th scope="col">Why</th>
        <th scope="col" class="number wide">
          Answered in
        </th>
        <th scope="col" class="wide">
          Occasion
        </th>
      </tr>
    </thead>
    <tbody>
      {checks.map((check) => (
        <CheckRow key={check.id} check={check} />
      ))}
    </tbody>
  </table>
);

const CheckRow = ({ check }: { check: Check }) => (
  <tr>
    <td>
      <Moment at={check.checked_at} />
    </td>
    <td>
      <Status of={check.status} />
    </td>
    <td class="why">
      {check.message}
      {check.status_changed && <span class="changed">was {check.previous_status}</span>}
    </td>
    <td class="number wide">
      {check.response_time_ms === null ? "–" : `${check.response_time_ms} ms`}
    </td>
    <td class="wide">{TRIGGERS[check.trigger]}</td>
  </tr>
);

const TRIGGERS: Record<Check["trigger"], string> = {
  scheduled: "Schedule",
  manual: "Check now",
  initial: "Added",
  batch: "Added in a batch",
};
