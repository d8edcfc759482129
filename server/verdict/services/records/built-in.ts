import { type Catalogue, createCatalogue } from "../catalogue.ts";
import { placesOf } from "../hosts.ts";
import type { Service } from "../record.ts";
import { ADULT } from "./adult.ts";
import { AUDIO } from "./audio.ts";
import { DEVELOPER } from "./developer.ts";
import { DOCUMENTS } from "./documents.ts";
import { FILE_APIS } from "./file-apis.ts";
import { FILE_BATCHES } from "./file-batches.ts";
import { FILE_DROPS } from "./file-drops.ts";
import { FILE_PAGES } from "./file-pages.ts";
import { FILE_PAGES_PREMIUM } from "./file-pages-premium.ts";
import { GOOGLE_DRIVE } from "./google-drive.ts";
import { IMAGES } from "./images.ts";
import { KNOWLEDGE } from "./knowledge.ts";
import { MEGA_SERVICES } from "./mega.ts";
import { MESSENGERS } from "./messengers.ts";
import { SHUT_DOWN } from "./shut-down.ts";
import { SOCIAL } from "./social.ts";
import { STORAGE } from "./storage.ts";
import { STORAGE_REGIONAL } from "./storage-regional.ts";
import { STORES } from "./stores.ts";
import { TRANSFERS } from "./transfers.ts";
import { VIDEO } from "./video.ts";
import { VIDEO_HOSTS } from "./video-hosts.ts";
import { VIDEO_REGIONAL } from "./video-regional.ts";
import { XFS } from "./xfs.ts";
import { YOUTUBE_SERVICES } from "./youtube.ts";

/** Every service that the program knows by itself, in the order in which they are listed. */
export const BUILT_IN: readonly Service[] = [
  ...YOUTUBE_SERVICES,
  ...VIDEO,
  ...VIDEO_REGIONAL,
  ...VIDEO_HOSTS,
  ...ADULT,
  ...SOCIAL,
  ...MESSENGERS,
  ...AUDIO,
  ...IMAGES,
  ...DOCUMENTS,
  ...GOOGLE_DRIVE,
  ...MEGA_SERVICES,
  ...STORAGE,
  ...STORAGE_REGIONAL,
  ...FILE_BATCHES,
  ...FILE_APIS,
  ...FILE_PAGES_PREMIUM,
  ...FILE_PAGES,
  ...FILE_DROPS,
  ...XFS,
  ...TRANSFERS,
  ...DEVELOPER,
  ...KNOWLEDGE,
  ...STORES,
  ...SHUT_DOWN,
];

/** The catalogue with an operator's own records, which replace those of their id and take over their hosts. */
export function catalogueWith(own: readonly Service[]): Catalogue {
  if (own.length === 0) return createCatalogue(BUILT_IN);
  const ids = new Set(own.map(({ id }) => id));
  const taken = new Set(own.flatMap(({ hosts }) => hosts.flatMap(placesOf)));
  const others = BUILT_IN.filter(({ id }) => !ids.has(id)).map((service) => ({
    ...service,
    hosts: service.hosts.flatMap(placesOf).filter((place) => !taken.has(place)),
  }));
  return createCatalogue([...own, ...others]);
}
