import type { ComponentChildren } from "preact";
import type { Installation } from "../lib/admin.ts";
import { Moment } from "./moment.tsx";
import { Copyable } from "./secret.tsx";

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
      <Fact name="Size">{bytes(database.bytes)}</Fact>
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

/** What is to be copied, and how, while all goes on. */
export const Backups = ({ engine }: { engine: Installation["database"]["engine"] }) => (
  <>
    <p>
      Stillup does not back itself up. {COPYING[engine].words} Copy <code>secret.key</code> of the
      data folder as well, once: it opens the webhooks' secrets and the second factors.
    </p>
    <Copyable label="Command" value={COPYING[engine].command} rows={1} />
  </>
);

const COPYING = {
  sqlite: {
    words: "In the data folder, this copies the whole database while it is in use.",
    command: `sqlite3 stillup.db "VACUUM INTO 'stillup-copy.db'"`,
  },
  postgres: {
    words: "This copies the whole database while it is in use.",
    command: `pg_dump --format=custom --file=stillup.dump "$STILLUP_DATABASE_URL"`,
  },
};

const count = (value: number) => value.toLocaleString("en");

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** "1.2 GB"; decimal units, as disks are sold. */
function bytes(value: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), UNITS.length - 1);
  const scaled = value / 1000 ** power;
  return `${scaled.toLocaleString("en", { maximumFractionDigits: 1 })} ${UNITS[power]}`;
}
