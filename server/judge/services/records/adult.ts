import { dead, means, type Page, type Service } from "../record.ts";

/** The message in place of the video. A comment may contain the same words. */
const REMOVED = String.raw`<div[^>]{0,80} class="(?:[^"]{0,100}\s)?removed[\s"]`;

const PORNHUB_PLAYER = { matches: String.raw`\bflashvars_\d` };

/** Some pages require a click to confirm the visitor's age. These cookies stand for that click. */
const PORNHUB_PAGE: Page = {
  url: "https://www.pornhub.com/view_video.php?viewkey={id}",
  headers: {
    Cookie:
      "age_verified=1; accessAgeDisclaimerPH=1; accessAgeDisclaimerUK=1; accessPH=1; platform=pc",
  },
  rules: [
    means("geo_blocked", {
      matches: String.raw`class="(?:geoBlocked|limited-functionality)"|>\s*This (?:video|content) is unavailable in your country`,
    }),
    dead("service_takedown", "C2", {
      matches: String.raw`>\s*Video has been (?:removed at the request of|flagged for verification in accordance with)`,
      unless: PORNHUB_PLAYER,
    }),
    dead("service_deleted", "C2", {
      matches: String.raw`>\s*This video has been (?:removed|disabled)|${REMOVED}`,
      unless: PORNHUB_PLAYER,
    }),
    {
      matches: String.raw`>\s*This video is currently unavailable`,
      unless: PORNHUB_PLAYER,
      means: "service_not_found",
      hours: 24,
    },
    means("service_private", { text: 'id="iconLocked"' }),
    means("ok_service_protected", {
      text: ["Upgrade to Pornhub Premium to enjoy this video", "'Buy on video player'"],
    }),
    means("ok_service", {
      status: 200,
      url: "{id}",
      matches: String.raw`var\s+flashvars_\d{1,20}\s*=\s*\{`,
    }),
  ],
  needsMarker: true,
};

const XHAMSTER_PLAYER = { matches: String.raw`"(?:videoModel|xplayerSettings2?)"\s*:\s*\{` };

const XHAMSTER_PAGE: Page = {
  headers: { Cookie: "lang=en; video_titles_translation=0" },
  rules: [
    means("service_private", { matches: String.raw`>\s*This video is visible (?:for|to)\s*<` }),
    means("ok_service_protected", { text: 'class="video-password-block"' }),
    dead("service_deleted", "C2", { status: 423, title: "^Page was deleted" }),
    dead("service_deleted", "C2", {
      matches: String.raw`>\s*This video (?:was deleted|has been removed)|${REMOVED}`,
      unless: XHAMSTER_PLAYER,
    }),
    dead("service_deleted", "C2", { matches: '<div[^>]{1,100}id="videoClosed"' }),
    dead("service_not_found", "C2", { url: "/site/error" }),
    // A status of its own for what is gone.
    dead("service_not_found", "C2", { status: 452 }),
    means("ok_service_protected", { text: ['class="buy_tips"', "This video is paid"] }),
    means("ok_service", { status: 200, ...XHAMSTER_PLAYER }),
  ],
  needsMarker: true,
};

const XVIDEOS_PLAYER = { matches: String.raw`html5player\.setVideo|setVideoTitle\(` };

const XVIDEOS_PAGE: Page = {
  rules: [
    means("geo_blocked", {
      matches: String.raw`>\s*Sorry, this video is not available in your country`,
    }),
    dead("service_takedown", "C2", {
      text: ">We received a request to have this video deleted",
      unless: XVIDEOS_PLAYER,
    }),
    dead("service_deleted", "C2", {
      matches: String.raw`>\s*This video has been (?:deleted|removed)|${REMOVED}`,
      unless: XVIDEOS_PLAYER,
    }),
    dead("service_not_found", "C2", {
      matches: String.raw`>\s*(?:Sorry, this video is not available|Page not found|Sorry but the page you requested was not found)`,
      unless: XVIDEOS_PLAYER,
    }),
    { text: 'class="inlineError"', unless: XVIDEOS_PLAYER, means: "service_not_found", hours: 24 },
    means("ok_service", {
      status: 200,
      url: String.raw`/(?:video[.\d]|embedframe/)`,
      ...XVIDEOS_PLAYER,
    }),
  ],
  needsMarker: true,
};

const REDTUBE_PLAYER = { matches: String.raw`mediaDefinitions?["']?\s*:` };

const REDTUBE_PAGE: Page = {
  url: "https://www.redtube.com/{id}",
  headers: { Cookie: "language=en" },
  rules: [
    dead("service_deleted", "C2", {
      text: ['class="video-deleted-info"', 'class="unavailable_text"'],
    }),
    dead("service_deleted", "C2", {
      matches: String.raw`>\s*This video has been removed|${REMOVED}`,
      unless: REDTUBE_PLAYER,
    }),
    dead("service_takedown", "C2", {
      matches: String.raw`>\s*Video has been flagged for verification`,
      unless: REDTUBE_PLAYER,
    }),
    dead("service_not_found", "C2", {
      matches: String.raw`>\s*(?:[^<>]{0,80}is no longer available|Error Page Not Found)`,
      unless: REDTUBE_PLAYER,
    }),
    means("service_private", { text: 'class="private_video_text"' }),
    means("service_private", {
      matches: String.raw`>\s*This video is private`,
      unless: REDTUBE_PLAYER,
    }),
    means("ok_service", { status: 200, url: "{id}", ...REDTUBE_PLAYER }),
  ],
  needsMarker: true,
};

export const ADULT: Service[] = [
  {
    id: "pornhub",
    name: "Pornhub",
    hosts: ["pornhub.{com,org,net}", "pornhubpremium.com"],
    confidence: "L",
    kinds: [
      {
        kind: "video",
        host: String.raw`(^|\.)pornhub\.(com|org|net)$`,
        path: String.raw`^/(?:view_video\.php|video/show)$`,
        query: "(?:^|&)viewkey=(?<id>[0-9a-z]+)(?:&|$)",
        page: PORNHUB_PAGE,
      },
      {
        kind: "embed",
        host: String.raw`(^|\.)pornhub\.(com|org|net)$`,
        path: "^/(?:embed|shorties)/(?<id>[0-9a-z]+)$",
        page: PORNHUB_PAGE,
      },
    ],
    canary: [
      "https://www.pornhub.com/view_video.php?viewkey=648719015",
      "https://www.pornhub.com/view_video.php?viewkey=ph601dc30bae19a",
    ],
  },
  {
    id: "xvideos",
    name: "XVideos",
    hosts: ["xvideos.{com,es,red}", "xvideos{2,3}.{com,es}", "xvideos{4,5}.com", "xvv1deos.com"],
    confidence: "L",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:video(?:\d+|\.[a-z0-9]+)(?:/.*)?|embedframe/[a-z0-9]+)$`,
        page: XVIDEOS_PAGE,
      },
    ],
    canary: [
      "https://www.xvideos.com/video.ucuvbkfda4e/a_beautiful_red-haired_stranger_was_refused_but_still_came_to_my_room_for_sex",
      "https://www.xvideos.com/video65982001/what_s_her_name",
    ],
  },
  {
    id: "xhamster",
    name: "xHamster",
    hosts: [
      "xhamster.{com,xxx,desi,one,tv}",
      "xhamster{1,2,3,20,46}.desi",
      "xhamster{2,3,11,26}.com",
      "{openxh,openxh1,openxh2,megaxh,xhvid,xhday,xhbranch5,xhaccess,xhopen}.com",
      "{airportxh,xhsay}.life",
      "xhms.pro",
      "zbnu.live",
    ],
    confidence: "L",
    kinds: [
      {
        kind: "video",
        path: String.raw`^/(?:(?:[a-z]{2}/)?(?:videos|shorts|moments)/(?:[\w-]+-)?(?:\d+|xh[A-Za-z0-9]+)|movies/\d+/.*|embed/[\w-]+)$`,
        page: XHAMSTER_PAGE,
      },
      {
        kind: "embed",
        path: String.raw`^/x?embed\.php$`,
        query: String.raw`(?:^|&)video=[\w-]+`,
        page: XHAMSTER_PAGE,
      },
    ],
    canary: [
      "https://xhamster.com/videos/femaleagent-shy-beauty-takes-the-bait-1509445",
      "https://xhamster.com/videos/britney-spears-sexy-booty-2221348",
    ],
  },
  {
    id: "redtube",
    name: "RedTube",
    hosts: ["redtube.{com,com.br,tv,cn.com}"],
    confidence: "L",
    kinds: [
      { kind: "video", path: String.raw`^/(?<id>\d{4,})(?:/.*)?$`, page: REDTUBE_PAGE },
      {
        kind: "embed",
        host: String.raw`^embed\.`,
        query: String.raw`(?:^|&)id=(?<id>\d{4,})(?:&|$)`,
        page: REDTUBE_PAGE,
      },
    ],
    canary: ["https://www.redtube.com/38864951"],
  },
];
