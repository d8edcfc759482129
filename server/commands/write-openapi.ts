import { createApp } from "../app/app.ts";
import { readConfig } from "../config/config.ts";
import { describeApi } from "../http/openapi/document.ts";
import type { Deps } from "../work/deps.ts";

/** Where the API's description lies for those who read it without a running server. */
export const OPENAPI_FILE = new URL("../../docs/openapi.json", import.meta.url).pathname;

/** The document as the file holds it. Making routes needs the settings; only answering needs the rest. */
export function openapiText(): string {
  const deps = { config: readConfig({}) } as Deps;
  return `${JSON.stringify(describeApi(createApp(deps).routes), null, 2)}\n`;
}

if (import.meta.main) await Bun.write(OPENAPI_FILE, openapiText());
