/** The part of dns-packet 5.6.1 that is used here; the package carries no types. */
declare module "dns-packet" {
  export type Question = { type: string; name: string };
  export type Packet = {
    type: "query" | "response";
    id: number;
    flags: number;
    questions: Question[];
    rcode?: string;
    flag_tc?: boolean;
    answers?: { type: string; name: string; ttl?: number; data: unknown }[];
  };
  export const RECURSION_DESIRED: number;
  export function encode(packet: Packet): Uint8Array;
  export function decode(bytes: Uint8Array): Packet;
  export function streamEncode(packet: Packet): Uint8Array;
  export function streamDecode(bytes: Uint8Array): Packet;
}
