import { codeOf } from "../lib/errors.ts";

const HANDSHAKE_RECORD = 22;
const CERTIFICATE_REQUEST = 13;
/** Enough for long chains of certificates. */
const MOST_BYTES = 64 * 1024;

/** Alerts about the client's certificate (RFC 8446 §6.2), which a client without one gets if the server wants one. */
const ABOUT_CERTIFICATE =
  /_ALERT_((NO|BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN|REQUIRED)|UNKNOWN_CA)$/;
/** Alerts that servers also send instead of these. */
const REFUSAL = /_ALERT_(HANDSHAKE_FAILURE|ACCESS_DENIED)$/;

/** Watches the beginning of a TLS connection for a server that wants a certificate from its client. */
export function watchForRequest() {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    take(piece: Uint8Array): void {
      if (length < MOST_BYTES) pieces.push(piece.slice());
      length += piece.length;
    },
    /** Whether a connection failed because it had no certificate. @param isDone the handshake was over */
    explains(error: unknown, isDone: boolean): boolean {
      const code = codeOf(error);
      if (ABOUT_CERTIFICATE.test(code)) return true;
      return (isDone && REFUSAL.test(code)) || asksForCertificate(Buffer.concat(pieces));
    },
  };
}

/** Whether the server's part of a handshake has a CertificateRequest. TLS 1.3 encrypts it (RFC 5246 §7.4.4). */
function asksForCertificate(bytes: Buffer): boolean {
  const messages = handshakeIn(bytes);
  for (let at = 0; at + 4 <= messages.length; at += 4 + messages.readUIntBE(at + 1, 3)) {
    if (messages[at] === CERTIFICATE_REQUEST) return true;
  }
  return false;
}

/** The messages before encryption, which records may divide anywhere. */
function handshakeIn(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === HANDSHAKE_RECORD; ) {
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + 5, end));
    at = end;
  }
  return Buffer.concat(parts);
}
