import type { ComponentChildren } from "preact";
import type { Installation } from "../lib/admin.ts";
import { sizeText } from "../lib/size.ts";
import { Moment } from "./moment.tsx";

/** How the program, its checker and its database are. */
export function Running({ state }: { state: Installation }) {
  const { checker, database } = state;
  return (
    <dl class="facts">
      <Fact name="Version">{state.version}</Fact>
      <Fact name="Started">
        <Moment at={state.started_at} />
      </Fact>
      <Fact name="Checker">{checker.is_running ? "running" : "not running"}</Fact>
      <Fact name="Checks today">{count(checker.checks_today)}</Fact>
      <Fact name="Checks at once">{count(checker.at_once)} at most</Fact>
      <Fact name="History kept">{count(checker.history_days)} days</Fact>
      <Fact name="Database">{ENGINES[database.engine]}</Fact>
      <Fact name="Size">{sizeText(database.bytes)}</Fact>
      <Fact name="Schema">
        <code>{database.migration.split(".")[0]}</code>
      </Fact>
      <Fact name="Accounts">{count(database.accounts)}</Fact>
      <Fact name="Links">{count(database.links)}</Fact>
      <Fact name="Deliveries waiting">{count(database.deliveries_waiting)}</Fact>
    </dl>
  );
}

const ENGINES = { sqlite: "SQLite", postgres: "PostgreSQL" };

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** What accounts of each tier may have. */
export const Tiers = ({ tiers }: { tiers: Installation["tiers"] }) => (
  <table class="tiers">
    <thead>
      <tr>
        <th scope="col">Tier</th>
        <th scope="col">Links</th>
        <th scope="col">API keys</th>
        <th scope="col">Webhooks</th>
        <th scope="col">API</th>
      </tr>
    </thead>
    <tbody>
      {tiers.map(({ tier, links, api_keys, webhooks, api }) => (
        <tr key={tier}>
          <th scope="row">{tier}</th>
          <td>{count(links)}</td>
          <td>{count(api_keys)}</td>
          <td>{count(webhooks)}</td>
          <td>{api ? "yes" : "no"}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const count = (value: number) => value.toLocaleString("en");
