import type { Line, Notice } from "./notice.ts";
import { singleLine, webAddress } from "./text.ts";

/** How a service writes. */
export type Hand = {
  /** Words of ours, so that they show as they are. */
  words(text: string): string;
  /** An address that people can follow. It has no sign beyond those of RFC 3986. */
  link(address: string): string;
  /** As much of a text as fits, in a form that nobody can follow and no markup begins in. */
  stump(text: string, room: number): string;
  sizeOf(text: string): number;
};

/**
 * What an address may take beside the title, and what a line may take in all. One of the former and ten of
 * the latter, with words of ours around them, fit into the smallest message: the 3,000 characters of a section in
 * Slack, which has the title in a section of its own, and the 4,096 of the others.
 */
export const ADDRESS_ROOM = 2100;
export const LINE_ROOM = 270;

/** Below the title, one line each. */
export const writtenLines = ({ lines }: Notice, hand: Hand): string[] =>
  lines.map((line) => writtenLine(line, hand));

/** What has no room is cut and is no link then: it would lead elsewhere. */
export function writtenAddress(url: string, room: number, hand: Hand): string {
  const address = webAddress(url);
  if (address === null) return hand.stump(singleLine(url), room);
  const link = hand.link(address);
  return hand.sizeOf(link) <= room ? link : hand.stump(address, room);
}

function writtenLine({ text, url, rest }: Line, hand: Hand): string {
  const after = rest === null ? "" : hand.words(` – ${rest}`);
  if (url === null) return hand.words(text) + after;
  const before = hand.words(`${text}: `);
  const room = LINE_ROOM - hand.sizeOf(before) - hand.sizeOf(after);
  return before + writtenAddress(url, room, hand) + after;
}
