import { ADULT } from "./catalogue/adult.ts";
import { AUDIO } from "./catalogue/audio.ts";
import { DEVELOPER } from "./catalogue/developer.ts";
import { DOCUMENTS } from "./catalogue/documents.ts";
import { FILE_APIS } from "./catalogue/file-apis.ts";
import { FILE_BATCHES } from "./catalogue/file-batches.ts";
import { FILE_DROPS } from "./catalogue/file-drops.ts";
import { FILE_PAGES } from "./catalogue/file-pages.ts";
import { FILE_PAGES_PREMIUM } from "./catalogue/file-pages-premium.ts";
import { GOOGLE_DRIVE } from "./catalogue/google-drive.ts";
import { IMAGES } from "./catalogue/images.ts";
import { KNOWLEDGE } from "./catalogue/knowledge.ts";
import { MEGA_SERVICES } from "./catalogue/mega.ts";
import { MESSENGERS } from "./catalogue/messengers.ts";
import { SHUT_DOWN } from "./catalogue/shut-down.ts";
import { SOCIAL } from "./catalogue/social.ts";
import { STORAGE } from "./catalogue/storage.ts";
import { STORAGE_REGIONAL } from "./catalogue/storage-regional.ts";
import { STORES } from "./catalogue/stores.ts";
import { TRANSFERS } from "./catalogue/transfers.ts";
import { VIDEO } from "./catalogue/video.ts";
import { VIDEO_HOSTS } from "./catalogue/video-hosts.ts";
import { VIDEO_REGIONAL } from "./catalogue/video-regional.ts";
import { XFS } from "./catalogue/xfs.ts";
import { YOUTUBE_SERVICES } from "./catalogue/youtube.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import { placesOf } from "./hosts.ts";
import type { Service } from "./record.ts";

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
