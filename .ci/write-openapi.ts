import { createApp, descriptionOf } from "../server/app/app.ts";
import { readConfig } from "../server/ground/config/config.ts";
import type { Deps } from "../server/work/deps.ts";

/** The API document in the repository, for readers without a running server. */
export const OPENAPI_FILE = new URL("../docs/openapi.json", import.meta.url).pathname;

/** The content of the file. Creating the routes needs only the settings. */
export function openapiText(): string {
  const deps = { config: readConfig({}) } as Deps;
  return `${JSON.stringify(descriptionOf(deps, createApp(deps).routes), null, 2)}\n`;
}

if (import.meta.main) await Bun.write(OPENAPI_FILE, openapiText());
