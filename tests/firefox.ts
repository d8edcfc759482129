/**
 * Runs the journeys of tests/web/pages.ts in Firefox, which no package of npm contains.
 *
 *   npm run firefox [FILE…]    FILE is any part of a path; without one, all journeys run
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { firefox } from "playwright-core";

const JOURNEYS = [
  "tests/web/journey",
  "tests/web/keyboard",
  "web/src/add/add.test",
  "web/src/alerts/alerts",
  "web/src/links/selection",
  "web/src/settings/account",
  "web/src/settings/backups",
  "web/src/settings/keys",
  "web/src/settings/people",
  "web/src/sources",
  "web/src/triage",
];

if (!existsSync(firefox.executablePath())) {
  console.error(
    "Firefox is not installed. Run `npx playwright-core install --with-deps firefox`, then `npm run firefox` again.",
  );
  process.exit(1);
}
const given = process.argv.slice(2);
const files = given.length > 0 ? given : JOURNEYS;
const { exited } = Bun.spawn([process.execPath, join(import.meta.dir, "run.ts"), ...files], {
  env: { ...process.env, STILLUP_TEST_BROWSER: "firefox" },
  stdio: ["inherit", "inherit", "inherit"],
});
process.exit(await exited);
