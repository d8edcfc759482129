import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { failureOfFile } from "./own-user.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keeps secrets that must be read back, such as those that sign webhooks. */
export type SecretBox = { seal(text: string): string; open(sealed: string): string };

/** AES-256-GCM with a fresh nonce each time; `open` throws when the text was made under another key. */
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
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString("utf8");
    },
  };
}

/** The key in the file, which is made on first use, readable by its owner only. @throws when there is none */
export function readOrMakeKey(path: string): Uint8Array {
  const key = Buffer.from(readOrMake(path).trim(), "base64");
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${path} must hold ${KEY_BYTES} bytes in base64; restore it from a backup.`);
}

function readOrMake(path: string): string {
  try {
    if (!existsSync(path)) makeKey(path);
    return readFileSync(path, "utf8");
  } catch (error) {
    const hint = "Check STILLUP_SECRET_KEY_FILE.";
    throw failureOfFile("The secret key cannot be read or made", error, hint);
  }
}

/** `wx` refuses an existing file, so two processes that start at once cannot make two keys. */
function makeKey(path: string) {
  const file = openSync(path, "wx", 0o600);
  writeSync(file, randomBytes(KEY_BYTES).toString("base64"));
  closeSync(file);
}
