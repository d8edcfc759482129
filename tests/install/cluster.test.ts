import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { printConfig, readConfig } from "../../server/ground/config/config.ts";
import { ROLES } from "../../server/ground/config/settings.ts";

const ROOT = join(import.meta.dir, "../..");
const read = (name: string) => readFileSync(join(ROOT, name), "utf8");

const ENV: Record<string, string> = {
  POSTGRES_PASSWORD: "8c1f0d",
  STILLUP_PUBLIC_URL: "https://links.example.org",
};
const text = read("compose.cluster.yaml");
const asked = [...text.matchAll(/\$\{(\w+):\?[^}]+\}/g)];
const compose = parse(
  text.replaceAll(/\$\{(\w+):\?[^}]+\}/g, (_, name) => ENV[name]!),
  { merge: true },
);
const { proxy, postgres, ...nodes } = compose.services;
const each = Object.entries<Record<string, never>>(nodes);
const envOf = (node: { environment?: Record<string, string> }) => node.environment!;
const configs = each.map(([, node]) => readConfig(envOf(node)));

describe("compose.cluster.yaml", () => {
  test("has no value of its own for what is secret or differs by place, and asks for it", () => {
    expect(new Set(asked.map(([, name]) => name))).toEqual(new Set(Object.keys(ENV)));
    expect(text.replaceAll(/\$\{[^}]+\}/g, "")).not.toContain("$");
    expect(text).not.toMatch(/PASSWORD: (?!\$\{)/);
  });

  test("starts two nodes that answer, and two that check and deliver", () => {
    expect(configs.map(({ nodeName, role }) => [nodeName, role.join()])).toEqual([
      ["api-1", "api"],
      ["api-2", "api"],
      ["worker-1", "checker,delivery"],
      ["worker-2", "checker,delivery"],
    ]);
    expect(each.map(([name]) => name)).toEqual(configs.map(({ nodeName }) => nodeName));
    for (const role of ROLES)
      expect(configs.filter((config) => config.role.includes(role)).length).toBeGreaterThan(1);
  });

  test("gives all of them the same settings, each of which the program knows", () => {
    const known = [...printConfig({}, {}).matchAll(/^STILLUP_\w+/gm)].map(([name]) => name);

    for (const [, node] of each) {
      const { STILLUP_NODE_NAME, STILLUP_ROLE, ...shared } = envOf(node);
      expect(Object.keys(envOf(node)).filter((name) => !known.includes(name))).toEqual([]);
      expect(shared).toEqual({
        STILLUP_DATABASE_URL: "postgres://stillup:8c1f0d@postgres/stillup",
        STILLUP_SECRET_KEY_FILE: `/run/secrets/${Object.keys(compose.secrets)[0]}`,
        STILLUP_PUBLIC_URL: "https://links.example.org",
        STILLUP_TRUSTED_PROXIES: proxy.networks.outside.ipv4_address,
      });
    }
  });

  test("gives no node more than it needs", () => {
    for (const [, node] of each) {
      expect(node).toMatchObject({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        restart: "unless-stopped",
        secrets: Object.keys(compose.secrets),
        depends_on: { postgres: { condition: "service_healthy" } },
      });
    }
  });

  test("opens nothing but the proxy to others, and the database to the nodes alone", () => {
    const open = Object.entries<{ ports?: string[] }>(compose.services).filter(
      ([, { ports }]) => ports,
    );

    expect(open.map(([name]) => name)).toEqual(["proxy"]);
    expect(postgres.networks).toEqual(["inside"]);
    expect(compose.networks.inside.internal).toBe(true);
    expect(Object.keys(proxy.networks)).toEqual(["outside"]);
  });

  test("asks every service but the proxy whether it is well", () => {
    expect(postgres.healthcheck.test).toEqual(["CMD", "pg_isready", "-U", "stillup"]);
    for (const [, { healthcheck }] of each)
      expect(healthcheck).toMatchObject({ test: ["CMD", "stillup", "health", "--ready"] });
  });

  test("has the proxy ask every node that answers, by whether it is ready", () => {
    const caddyfile: string = compose.configs.caddyfile.content;
    const [, address, upstreams] =
      /^(\S+) \{\n(?: {2}respond .+\n)* {2}reverse_proxy (.+) \{$/m.exec(caddyfile)!;
    const answering = configs.filter(({ role }) => role.includes("api"));

    expect(address).toBe("https://links.example.org");
    expect(upstreams).toBe(answering.map(({ nodeName, port }) => `${nodeName}:${port}`).join(" "));
    expect(caddyfile).toContain("health_uri /ready");
    expect(caddyfile.match(/\{/g)!.length).toBe(caddyfile.match(/\}/g)!.length);
  });

  test("has the proxy hide paths that describe the machines", () => {
    const caddyfile: string = compose.configs.caddyfile.content;
    const kept = [...caddyfile.matchAll(/^ {2}respond (\S+) 404$/gm)].map(([, path]) => path);

    expect(kept).toEqual(["/ready", "/metrics"]);
  });

  test("keeps the key for all nodes out of the image and the repository", () => {
    expect(compose.secrets).toEqual({ stillup_key: { file: "./secret.key" } });
    expect(read(".dockerignore").split("\n")).toContain("secret.key");
    expect(read(".gitignore").split("\n")).toContain("/secret.key");
  });
});
