import { crc32 } from "node:zlib";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const KEY_PREFIX = "su_";
const KEY = /^su_[0-9A-Za-z]{38}$/;
const SECRET_LENGTH = 32;
/** Characters that are shown for recognition: the prefix and six of the secret. */
const SHOWN_LENGTH = 9;

/** `su_`, 32 random base62 characters (190 bits) and 6 of their CRC-32, so that a typo needs no query. */
export const newApiKey = () => apiKeyOf(randomText(ALPHABET, SECRET_LENGTH));

export const apiKeyOf = (secret: string) => KEY_PREFIX + secret + checksum(secret);

/** Whether the text can be a key at all: its form and its checksum. */
export function isApiKey(text: string): boolean {
  if (!KEY.test(text)) return false;
  const secret = text.slice(KEY_PREFIX.length, KEY_PREFIX.length + SECRET_LENGTH);
  return text === apiKeyOf(secret);
}

export const shownPart = (key: string) => key.slice(0, SHOWN_LENGTH);

/**
 * SHA-256 in hex. Right for keys and session values, which carry 128 random bits or more;
 * passwords need a slow hash instead.
 */
export const hashToken = (token: string) => Bun.SHA256.hash(token, "hex");

/** 256 random bits for cookies and one-time links. */
export const newSessionToken = () =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

/** 150 random bits in base32, in groups of five, to be typed by hand. */
export const newSetupToken = () => randomText(BASE32, 30).replace(/.{5}(?=.)/g, "$&-");

/** 80 random bits in base32, in groups of four: more than anybody tries out, hashed as fast as may be. */
export const newRecoveryCode = () => randomText(BASE32, 16).replace(/.{4}(?=.)/g, "$&-");

function checksum(secret: string): string {
  let rest = crc32(secret);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** Drops bytes past the last multiple of the alphabet's length, so that all letters are equally likely. */
function randomText(alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    const usable = crypto.getRandomValues(new Uint8Array(length)).filter((byte) => byte < limit);
    for (const byte of usable) text += alphabet[byte % alphabet.length];
  }
  return text.slice(0, length);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUIDv7 in lower case: sorts by creation, which keeps inserts local in the index. */
export const newId = () => Bun.randomUUIDv7();

/** The same for a moment, in milliseconds. */
export const newIdAt = (ms: number) => Bun.randomUUIDv7("hex", ms);

/** An id before all that were made for the moment or later, and after those for earlier ones (RFC 9562 §5.7). */
export function firstIdAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** The same UUID for the same text (RFC 9562 §5.8). */
export function idOfText(text: string): string {
  const bytes = new Bun.CryptoHasher("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns the id in lower case, or null for an invalid UUID. */
export const parseId = (text: string): string | null =>
  UUID.test(text) ? text.toLowerCase() : null;

/**
 * The id of a check in replies and events. To save space, history stores no ids: a check is identified by its link and
 * its time, since a link has at most one check per millisecond.
 */
export const checkIdOf = (linkId: string, checkedAt: number): string =>
  `${linkId}-${checkedAt.toString(36)}`;
