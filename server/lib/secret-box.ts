import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { fileFailure } from "./errors.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** What was to be opened is not what this key has sealed. */
export class SealedUnderOtherKey extends Error {}

/** Keeps secrets that must be read back, such as those that sign webhooks. */
export type SecretBox = { seal(text: string): string; open(sealed: string): string };

/** AES-256-GCM with a fresh nonce each time; `open` throws SealedUnderOtherKey. */
export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64");
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([body, decipher.final()]).toString("utf8");
      } catch (cause) {
        throw new SealedUnderOtherKey("sealed under another secret key", { cause });
      }
    },
  };
}

/**
 * The key in the file, which is made on first use, readable by its owner only.
 * @param mayBeEmpty makes one in the place of an empty file, which a process that was killed may have left
 * @throws when there is none
 */
export function readOrMakeKey(path: string, { mayBeEmpty = false } = {}): Uint8Array {
  const text = readOrMake(path, mayBeEmpty);
  try {
    return parseKey(text);
  } catch {
    throw new Error(
      `The secret key in ${path} is damaged: a key is ${KEY_BYTES} bytes in base64. Put the right file back. ` +
        "Without that key webhooks' signing secrets and second factors are lost; links and history are not. Only " +
        "if it is lost for good: move the file away and type `stillup accept-key`.",
    );
  }
}

/** @throws when it is no key in base64 */
export function parseKey(text: string): Uint8Array {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== KEY_BYTES) throw new RangeError("no key");
  return key;
}

/** By which a key is known again, and nothing else of it. */
export const fingerprintOf = (key: Uint8Array): string =>
  createHmac("sha256", key).update("Stillup's secret key").digest("hex");

function readOrMake(path: string, mayBeEmpty: boolean): string {
  try {
    if (!existsSync(path)) makeKey(path, placeAsFirst);
    if (mayBeEmpty && statSync(path).size === 0) makeKey(path, renameSync);
    return readFileSync(path, "utf8");
  } catch (error) {
    const hint = "Check STILLUP_SECRET_KEY_FILE.";
    throw fileFailure("The secret key cannot be read or made", error, hint);
  }
}

/** Under its name only once it is whole and on the disk: a secret kept under half a key would be lost. */
function makeKey(path: string, place: (made: string, path: string) => void) {
  const made = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    const options = { flag: "wx", mode: 0o600, flush: true };
    writeFileSync(made, randomBytes(KEY_BYTES).toString("base64"), options);
    place(made, path);
  } finally {
    rmSync(made, { force: true });
  }
  sync(dirname(path));
}

/** Of two processes that start at once, the second finds the key of the first. */
function placeAsFirst(made: string, path: string) {
  try {
    linkSync(made, path);
  } catch (error) {
    if (existsSync(path)) return;
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    renameSync(made, path);
  }
}

/** What file systems answer that have one name for each file. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? String(error.code) : "";

function sync(folder: string) {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
