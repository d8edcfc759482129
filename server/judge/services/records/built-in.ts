import { type Catalogue, createCatalogue, placesOf } from "../catalogue.ts";
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

const ended = (id: string, name: string, ...hosts: string[]): Service => ({
  id,
  name,
  hosts,
  shutDown: true,
});

const SHUT_DOWN: Service[] = [
  ended("zippyshare", "Zippyshare", "zippyshare.com"),
  ended("anonfiles", "AnonFiles", "anonfiles.com", "anonfile.com"),
  ended("bayfiles", "BayFiles", "bayfiles.com"),
  ended("uptobox", "Uptobox", "uptobox.{com,eu,fr,link}", "uptostream.{com,eu,fr}"),
  ended("uploaded", "Uploaded", "uploaded.{net,to}", "ul.to"),
  ended("rapidshare", "RapidShare", "rapidshare.{com,de}"),
  ended(
    "openload",
    "Openload",
    "openload.{co,io}",
    "oload.{best,biz,club,co,download,fun,info,life,net,press,services,site,stream,tv,vip,website}",
  ),
  ended("share-online", "Share-Online", "share-online.biz"),
  ended("oboom", "OBOOM", "oboom.com"),
  ended("solidfiles", "Solidfiles", "solidfiles.com"),
  ended("letsupload", "LetsUpload", "letsupload.{cc,co,io,org,to}"),
  ended("filescdn", "FilesCDN", "filescdn.{com,net}"),
  ended("uploadrocket", "UploadRocket", "uploadrocket.net"),
  ended("fembed", "Fembed", "fembed.{com,net}", "fembed-hd.com", "fembed9hd.com"),
  ended("vidlox", "Vidlox", "vidlox.{me,tv}"),
  ended("megaupload", "Megaupload", "megaupload.com"),
  ended("volafile", "Volafile", "volafile.{io,org}"),
  ended("vivo", "Vivo.sx", "vivo.sx"),
  ended("streamango", "Streamango", "streamango.com"),
  ended("verystream", "Verystream", "verystream.com"),
  ended("rapidvideo", "RapidVideo", "rapidvideo.com"),
  ended("thevideo", "TheVideo.me", "thevideo.{cc,me}"),
  ended("hotfile", "Hotfile", "hotfile.com"),
  ended("filesonic", "FileSonic", "filesonic.com"),
  ended("oron", "Oron", "oron.com"),
  ended("wupload", "Wupload", "wupload.com"),
  ended("letitbit", "Letitbit", "letitbit.net"),
  ended("2shared", "2shared", "2shared.com"),
  ended("nofile", "NoFile", "nofile.io"),
];

/** All built-in services, in the order in which they are listed. */
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

/** Returns the catalogue with an operator's records, which replace those with the same id and take over their hosts. */
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
