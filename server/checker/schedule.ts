/** Where in its period a link has its place, evenly spread over [0, 1). The same for ever. */
const placeOf = (linkId: string) => Bun.hash.crc32(linkId) / 2 ** 32;

/**
 * When a link is due next, in milliseconds since 1970. Each link has a fixed place in its period, taken
 * from its id, so that links made at the same moment do not come due at the same moment.
 *
 * The first interval is stretched or cut by at most a tenth; later ones lead to the link's own place
 * again, each moved by at most a tenth, until they land on it and stay. `from` is when the last check
 * was due or done.
 */
export function nextCheckAt(input: {
  linkId: string;
  frequencySeconds: number;
  from: number;
}): number {
  const period = input.frequencySeconds * 1000;
  const wanted = input.from + period;
  const place = placeOf(input.linkId) * period;
  // The nearest moment that is the link's place in some period, at most half a period away.
  const nearest = Math.round((wanted - place) / period) * period + place;
  const most = period / 10;
  return Math.round(wanted + Math.min(Math.max(nearest - wanted, -most), most));
}
