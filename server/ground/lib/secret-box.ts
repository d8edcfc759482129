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
import { codeOf, fileFailure } from "./errors.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The text was not sealed with this key. */
export class SealedUnderOtherKey extends Error {}

export type SecretBox = {
  /** Encrypts a secret that must be read back, such as a signing secret. */
  seal(text: string): string;
  /** @throws SealedUnderOtherKey */
  open(sealed: string): string;
  /** Returns 128 bits in base64url that only this key makes of the text, for one purpose. */
  sign(purpose: string, text: string): string;
};

const SIGNATURE_BYTES = 16;

/** AES-256-GCM with a fresh nonce each time, and HMAC-SHA256 under a key for each purpose. */
export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    sign(purpose, text) {
      const own = createHmac("sha256", key).update(`sign ${purpose}`).digest();
      const whole = createHmac("sha256", own).update(text).digest();
      return whole.subarray(0, SIGNATURE_BYTES).toString("base64url");
    },
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
 * Reads the key from the file, or creates the file, readable by its owner only.
 * @param mayBeEmpty replaces an empty file, which a killed process may have left
 * @throws when the file has no valid key
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

/** @throws when the text is not a key in base64 */
export function parseKey(text: string): Uint8Array {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== KEY_BYTES) throw new RangeError("no key");
  return key;
}

/** Identifies a key without revealing it. */
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

/** Writes the whole key to the disk before the file gets its name: a secret sealed with half a key would be lost. */
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

/** Of two processes that start together, the second finds the key of the first. */
function placeAsFirst(made: string, path: string) {
  try {
    linkSync(made, path);
  } catch (error) {
    if (existsSync(path)) return;
    if (!NO_LINKS.includes(codeOf(error))) throw error;
    renameSync(made, path);
  }
}

/** Error codes of file systems without hard links. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

function sync(folder: string) {
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}
