import { dead, type Family, means, type Rule } from "./record.ts";

/** oembed.com, section 2.3: responses and status codes. */
const OEMBED: Rule[] = [
  means("ok_service", { status: 200, json: { title: { empty: false } } }),
  means("ok_service", { status: 200, json: { html: { empty: false } } }),
  means("ok_service", { status: 200, json: { type: ["photo", "video", "link", "rich"] } }),
  means("service_private", { status: 401 }),
  // Private, or the endpoint blocks the caller.
  { status: 403, means: "page", undecided: "service_private" },
  dead("service_not_found", "C2", { status: 404 }),
  dead("service_deleted", "C2", { status: 410 }),
];

/** Excludes a text that ends like a file name, optionally with a size. */
const NO_NAME = String.raw`(?![^<>]{0,200}\.(?:[a-z]\w{1,4}|\d[a-z]{1,2})(?: ?[(\[|-][^<>]{0,40})? ?(?:<|$))`;

/** Matches phrases at the beginning of a text. Elsewhere they may be in file names, scripts or terms of use. */
export const says = (...phrases: string[]) =>
  String.raw`(?:^|>)\s{0,20}(?:[*-]\s{0,20})?${NO_NAME}(?:${phrases.join("|")})`;

const TAKEN_DOWN = says(
  "File has been removed due to copyright issues",
  "This file was banned by copyright",
  String.raw`[^<>]{0,100}Reason for deletion[\s\S]{0,100}?(?:copyright|DMCA|infring)`,
);
const DELETED = says(
  String.raw`File Deleted[\s.!]{0,5}(?:<|$)`,
  "The file was (?:removed|deleted) by",
  "(?:(?:The|This) )?file (?:has been|was) removed",
  "(?:(?:The|This) )?file (?:you are trying to download )?is not? longer available",
  "[^<>]{0,100}Reason for deletion",
);
const EXPIRED = says("The file expired");
const MISSING = says(
  String.raw`[^<>]{0,40}No such file(?: with this filename)?[\s.!]{0,5}(?:<|$)`,
  String.raw`File Not Found[\s.!]{0,5}(?:<|$)`,
  String.raw`Sorry, we can\S{1,7}t find the page you\S{1,7}re looking for`,
  "File could not be found due to expiration or removal by the file owner",
  "The file of the above link no longer exists",
  "(?:The )?video you are looking for is not found",
  "The file you were looking for (?:doesn|could not be found)",
);

/** Phrases that XFileSharing only shows for missing files. */
export const XFS_GONE = [TAKEN_DOWN, DELETED, EXPIRED, MISSING].join("|");

/** The download form, which no host shows for missing files. */
export const XFS_FORM =
  'name="fname"[^>]{0,80}value="[^"]|<input[^>]{0,80}name="op"[^>]{0,40}value="download';

const FILE_NAME = String.raw`(?:class="(?:[^"]{0,40}\s)?(?:d?filename|file-name|name)"|\bid="dfilename"|\bFilename\s{0,20}:|You have requested)`;
const FILE_SIZE = String.raw`\d\s{0,20}(?:&nbsp;)?(?:bytes|[KMGT]i?B)\b`;
const VIDEO_URL = String.raw`["']https?://(?![^"']{0,200}/images/)[^"'\s]{1,1000}\.(?:mp4|m3u8|flv|mkv|avi)\b`;

/**
 * XFileSharing and its forks, recognised by the phrases of their pages. The page of a missing file lists all possible
 * causes, so two of them together do not show the cause. Together with the download form, such phrases are in comments,
 * FAQs or hidden boxes.
 */
const XFS: Rule[] = [
  means("service_unavailable", {
    matches: says(
      String.raw`\w{1,20} server (?:is in )?maint(?:e|ai)nance`,
      String.raw`Technical Maintenance\s{0,20}<`,
    ),
  }),
  dead("service_takedown", "C1", { matches: TAKEN_DOWN, unless: { matches: XFS_FORM } }),
  dead("service_not_found", "C1", {
    text: "The file expired",
    matches: says("The file was (?:removed|deleted) by"),
    unless: { matches: XFS_FORM },
  }),
  dead("service_deleted", "C1", { matches: DELETED, unless: { matches: XFS_FORM } }),
  dead("service_expired", "C1", { matches: EXPIRED, unless: { matches: XFS_FORM } }),
  dead("service_not_found", "C1", { matches: MISSING, unless: { matches: XFS_FORM } }),
  means("ok_service_protected", {
    status: 200,
    matches: says(
      String.raw`This (?:video|file)[\s\S]{0,10}?is (?:only )?available[\s\S]{0,60}?premium`,
      "File is available only for premium users",
      "Available only for premium members",
      "Only premium user can download this file",
      "Please buy premium to download",
      "(?:The file you requested|This file) reached max downloads",
      "This file is not available for free download",
      String.raw`(?:Sorry\s{0,20},\s{0,20})?This file (?:can|can only|only can) be downloaded by`,
      String.raw`You can download files up to \d`,
      "Downloads disabled for this file",
      "This video cannot be watched under this domain",
      "This video can be watched as embed only",
      "(?:Enter File Password|Password Protected)",
    ),
  }),
  means("ok_service_protected", {
    status: 200,
    matches: String.raw`<b>\s{0,20}Passwor[dt]\s?:?\s?</b>\s{0,20}(?:<input|</div)`,
  }),
  means("geo_blocked", {
    matches: says(
      "[^<>]{0,60}not available in your country",
      "Downloads are disabled for your country",
    ),
  }),
  means("service_processing", { matches: says("Video is processing now") }),
  means("ok_service", { status: 200, header: { "content-disposition": "^attachment" } }),
  means("ok_service", { status: 200, matches: XFS_FORM }),
  means("ok_service", {
    status: 200,
    matches: String.raw`(?:sources|src|file)["']?\s?[:=(]\s?\[?\s?\{?\s?(?:["']?(?:src|file)["']?\s?:\s?)?${VIDEO_URL}`,
  }),
  // A packed player script, which lists the words of its settings.
  means("ok_service", {
    status: 200,
    matches: String.raw`'(?=[^'<]{0,20000}'\.split\('\|'\))(?:[^'<]{0,20000}?\|)?(?:m3u8|mp4)['|]`,
  }),
  dead("service_not_found", "C1", {
    status: 200,
    matches: String.raw`>\s{0,20}\w{1,20} Not Found[\s.!]{0,5}(?:<|$)`,
  }),
  dead("service_deleted", "C1", {
    status: 200,
    matches: says(String.raw`\w{1,20} (?:file (?:was|has been) removed|no longer available)`),
  }),
  means("ok_service", {
    status: 200,
    matches: String.raw`${FILE_NAME}(?:(?!${FILE_NAME})[\s\S]){0,1000}?${FILE_SIZE}`,
  }),
  means("ok_service", { status: 200, url: "{id}", title: String.raw`^Watch(?:ing)? \S` }),
  means("service_rate_limited", {
    matches:
      "You have reached the (?:maximum |download.)limit|You have to wait [^<>]{1,80} till next download|Download limit reached|Delay between downloads must (?:be not|not be) less than|You're using all download slots",
  }),
];

export const FAMILY_RULES: Record<Family, readonly Rule[]> = { oembed: OEMBED, xfs: XFS };
