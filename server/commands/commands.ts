import { addKey, addUser } from "./accounts.ts";
import { addApply } from "./apply.ts";
import { addAcceptKey, addBackup, addRestore } from "./backup.ts";
import { addCheck } from "./check.ts";
import { addCompletion } from "./completion.ts";
import { addExport } from "./export.ts";
import { addFix } from "./fix.ts";
import { addHealth } from "./health.ts";
import { addImport } from "./import.ts";
import { addMail } from "./mail.ts";
import { addMcp } from "./mcp.ts";
import { addMigrate } from "./migrate.ts";
import { addOidc } from "./oidc.ts";
import { addServe } from "./serve.ts";
import { addSource } from "./source.ts";

/** Adds each command, in the order of the help. */
export const COMMANDS = [
  addServe,
  addMigrate,
  addHealth,
  addBackup,
  addRestore,
  addAcceptKey,
  addCheck,
  addFix,
  addUser,
  addKey,
  addOidc,
  addMail,
  addImport,
  addSource,
  addExport,
  addApply,
  addMcp,
  addCompletion,
];
