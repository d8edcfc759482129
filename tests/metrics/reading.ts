import type { TestServer } from "../harness.ts";

export const METRICS_TOKEN = "a-token-of-some-length";

/** What Prometheus gets, a line each, without what explains it. */
export async function readMetrics(server: TestServer): Promise<string[]> {
  const lines = (await metricsText(server)).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

export async function metricsText({ url }: TestServer): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return (await fetch(`${url}/metrics`, { headers })).text();
}
