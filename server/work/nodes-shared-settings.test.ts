import { expect, test } from "bun:test";
import { playFleet } from "../../tests/nodes/fleet.ts";
import type { PlayedNode } from "../../tests/nodes/playing.ts";
import { BUCKETS } from "./nodes.ts";

const fleet = playFleet();

const mailAt = (host: string) => ({
  PUBLIC_URL: "https://links.example.org",
  SMTP_HOST: host,
  SMTP_FROM: "stillup@example.org",
  SMTP_SECURITY: "none",
});

const signInAt = (clientId: string) => ({
  PUBLIC_URL: "https://links.example.org",
  OIDC_ISSUER: "https://id.example.org",
  OIDC_CLIENT_ID: clientId,
});

const troublesOf = ({ deps }: PlayedNode) => deps.troubles.all().map(({ name }) => name);
const mailShareOf = ({ deps }: PlayedNode) => deps.nodes.mailShare().buckets.length;

test("nodes with a mail server share the e-mail of those without one, and all report the difference", async () => {
  const first = fleet.start(mailAt("127.0.0.1"));
  const second = fleet.start(mailAt("127.0.0.1"));
  await fleet.beat([first, second], 5);
  expect([troublesOf(first), troublesOf(second)]).toEqual([[], []]);

  const without = fleet.start();
  await fleet.beat([first, second, without], 5);

  expect(mailShareOf(without)).toBe(0);
  expect(mailShareOf(first) + mailShareOf(second)).toBe(BUCKETS);
  for (const node of [first, second, without]) expect(troublesOf(node)).toEqual(["mail_settings"]);
  expect(first.deps.troubles.all()[0]!.message).toContain("STILLUP_SMTP_…");
  without.retire();
  await fleet.beat([first, second, without], 2);
  expect(troublesOf(first)).toEqual([]);
});

test("nodes with other clients of the OpenID provider report it, unless they have no dashboard", async () => {
  const first = fleet.start(signInAt("one"));
  const checker = fleet.start({ ROLE: "checker" });
  await fleet.beat([first, checker], 5);
  expect(troublesOf(first)).toEqual([]);

  const second = fleet.start(signInAt("two"));
  await fleet.beat([first, checker, second], 5);

  expect(troublesOf(first)).toEqual(["oidc_settings"]);
  expect(troublesOf(second)).toEqual(["oidc_settings"]);
});
