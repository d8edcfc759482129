import { says, XFS_FORM, XFS_GONE } from "../families.ts";
import {
  type Ask,
  dead,
  isGone,
  type Kind,
  means,
  type Page,
  type Rule,
  type Service,
} from "../record.ts";

/** `/abc123def456`, with or without a file name, and the forms for players and downloads. */
const FILE = String.raw`^/(?!registration\b)(?:(?:[def]|file|v)/|embed[-/])?(?<id>[A-Za-z0-9]{12})(?:\.html|/.*)?$`;

/** Short links, which redirect. */
const SHORT = "^/d/(?<id>[A-Za-z0-9]+)/?$";

type Host = Pick<Service, "id" | "name" | "hosts"> & {
  path?: string;
  ask?: Ask | Ask[];
  /** Host that serves the pages, and the page to request for links to other hosts. */
  main?: { host: string; url: string };
  rules?: Rule[];
  confidence?: "H" | "M" | "L";
};

/** A host that runs XFileSharing. Its English pages contain the family's phrases. */
const host = ({
  id,
  name,
  hosts,
  path = FILE,
  confidence = "M",
  ask,
  main,
  rules,
}: Host): Service => {
  const file: Kind = { kind: "file", path, ...(ask && { ask }), page: pageWith(rules) };
  const short: Kind = { kind: "short", path: SHORT, page: pageWith(rules?.map(whereItLeads)) };
  return {
    id,
    name,
    hosts,
    confidence,
    kinds: [
      ...(main ? [{ ...file, host: main.host }] : []),
      main ? { ...file, page: { ...pageWith(rules), url: main.url } } : file,
      ...(path === FILE ? [short] : []),
    ],
  };
};

const pageWith = (rules?: Rule[]): Page => ({
  headers: { Cookie: "lang=english" },
  family: "xfs",
  ...(rules && { rules: rules.map(unlessForm) }),
  needsMarker: true,
});

/** A dead verdict is in doubt when the page has the form of a file. */
const unlessForm = (rule: Rule): Rule =>
  isGone(rule) && !rule.unless ? { ...rule, unless: { matches: XFS_FORM } } : rule;

/** A short link has a different id than the page to which it redirects. */
const whereItLeads = (rule: Rule): Rule =>
  rule.url === SAME_ID ? { ...rule, url: String.raw`/[A-Za-z0-9]{12}\b|/d/${SAME_ID}` } : rule;

const SAME_ID = "{id}";

/** A marker that only the page of a file has. It precedes the family's rules, so it excludes dead phrases. */
const shows = (
  matches: string,
  means: "ok_service" | "ok_service_protected" = "ok_service",
): Rule => ({ status: 200, url: SAME_ID, matches, unless: { matches: XFS_GONE }, means });

export const XFS: Service[] = [
  host({
    id: "vidoza",
    name: "Vidoza",
    hosts: ["vidoza.{net,org,co}", "videzz.net"],
    rules: [
      // Embed-only videos show this page when they are gone.
      dead("service_not_found", "C2", {
        title: "^Watch$",
        matches: String.raw`>\s{0,20}Conversion stage\s{0,20}:`,
      }),
      dead("service_not_found", "C2", { text: '/embed-.html"' }),
      shows(String.raw`curFileName\s{0,20}[=:]\s{0,20}"[^"]`),
    ],
  }),
  host({ id: "uqload", name: "Uqload", hosts: ["uqload.{is,bz,cx,net,ws,to,io,co,com,cc,org}"] }),
  host({ id: "mp4upload", name: "Mp4Upload", hosts: ["mp4upload.com"] }),
  host({
    id: "streamwish",
    name: "StreamWish",
    hosts: [
      "{streamwish,embedwish,jwplayerhls,playerwish,rapidplayers,streamhg,hlsflex}.com",
      "{swiftplayers,ultpreplayer,hgplaycdn,hailindihg,auvexiug,davioad,habetar,kravaxxa}.com",
      "{zuvioeb,tryzendm,yuguaab,xenolyzb,guxhag,dumbalag,haxloppd,medixiru,audinifer,vibuxer}.com",
      "{hanerix,masukestin,playnixes,hglamioz,niramirus,huntrexus,sfastwish,flaswish,obeywish}.com",
      "{cdnwish,swhoi,jodwish,swdyu,strwish,asnwish,hlswish,swishsrv,iplayerhls,hlsflast}.com",
      "{ghbrisk,hgbazooka,cybervynx,dhcplay,gradehgplus,uasopt}.com",
      "{streamwish,hglink,hgcloud}.to",
      "{awish,wishembed,dwish,mwish}.pro",
      "{vidcloud,wishfast}.top",
      "gdplry.online",
      "{wishonly,streamwish}.site",
      "{cloudwish,strwish}.xyz",
      "recordplay.biz",
      "hgplayer.sbs",
      "streamwish.fun",
      "stbhg.click",
    ],
    rules: [
      dead("service_not_found", "C1", {
        matches: String.raw`<div>\s{0,20}This video has been locked watch or does not exist`,
      }),
      means("service_unavailable", {
        matches: String.raw`>\s{0,20}Video temporarily not available`,
      }),
      shows(String.raw`<h1 class="h5 mb-3">\s{0,20}[^<\s]`),
    ],
  }),
  host({
    id: "lulustream",
    name: "LuluStream",
    hosts: [
      "{lulustream,luluvdo,luluvid,luluvdoo,streamhihi}.com",
      "lulu.st",
      "tnmr.org",
      "lulu0.ovh",
      "{cdn1,d00ds}.site",
      "732eg54de642sa.sbs",
    ],
    rules: [
      dead("service_not_found", "C1", {
        matches: says(
          "Oops! Page Not Found",
          String.raw`Sorry, the page you\S{1,7}re looking for doesn`,
        ),
      }),
      shows(String.raw`(?:name|property)="og:title" content="[^"]|<h1 class="h5">\s{0,20}[^<\s]`),
    ],
  }),
  host({ id: "savefiles", name: "SaveFiles", hosts: ["savefiles.com", "streamhls.to"] }),
  host({
    id: "voe",
    name: "VOE",
    hosts: [
      "voe.sx",
      "{voe-unblock,voeunblock,voeunblk,voeunblck,voe-un-block,voeunbl0ck,voeunblock1}.com",
      "{voeunblock2,voeunblock3,voeunblock4,voeunblock5,voeunblock6,v-o-e-unblock}.com",
      "{audaciousdefaulthouse,launchreliantcleaverriver,reputationsheriffkennethsand}.com",
      "{fittingcentermondaysunday,housecardsummerbutton,fraudclatterflyingcar}.com",
      "{bigclatterhomesguideservice,uptodatefinishconferenceroom,realfinanceblogcenter}.com",
      "{tinycat-voe-fashion,20demidistance9elongations,telyn610zoanthropy}.com",
      "{toxitabellaeatrebates306,greaseball6eventual20,745mingiestblissfully}.com",
      "{19turanosephantasia,30sensualizeexpression,321naturelikefurfuroid}.com",
      "{449unceremoniousnasoseptal,cyamidpulverulence530,boonlessbestselling244}.com",
      "{antecoxalbobbing1010,matriculant401merited,scatch176duplicities,35volitantplimsoles5}.com",
      "{tummulerviolableness,tubelessceliolymph,availedsmallest,counterclockwisejacky}.com",
      "{monorhinouscassaba,urochsunloath,simpulumlamerop,wolfdyslectic,metagnathtuggers}.com",
      "{gamoneinterrupted,chromotypic,crownmakermacaronicism,generatesnitrosate}.com",
      "{yodelswartlike,figeterpiazine,cigarlessarefy,valeronevijao,apinchcaseation}.com",
      "{nectareousoverelate,phenomenalityuniform,nonesnanking,troyyourlead}.com",
      "{stevenimaginelittle,edwardarriveoften,lukecomparetwo,bradleyviewdoctor,jamiesamewalk}.com",
      "{seanshowcould,sandrataxeight,jayservicestuff,graceaddresscommunity,loriwithinfamily}.com",
      "{roberteachfinal,erikcoldperson,jasminetesttry,heatherdiscussionwhen,robertplacespace}.com",
      "{alleneconomicmatter,josephseveralconcern,donaldlineelse,bethshouldercan}.com",
      "{thomasalthoughhear,richardstorehalf,brittneystandardwestern,sandratableother}.com",
      "{robertordercharacter,maxfinishseveral,alejandrocenturyoil,heatherwholeinvolve}.com",
      "{kristiesoundsimply,adrianmissionminute,nathanfromsubject,jennifercertaindevelopment}.com",
      "{richardsignfish,diananatureforeign,jonathansociallike,sarahnewspaperbeat}.com",
      "{johnalwayssame,kellywhatcould,jilliandescribecompany,lukesitturn,mikaylaarealike}.com",
      "{christopheruntilpoint,walterprettytheir,crystaltreatmenteast,lauradaydo}.com",
      "{lancewhosedifficult,dianaavoidthey,jefferycontrolmodel,marissasharecareer}.com",
      "{charlestoughrace,timmaybealready,richardquestionbuilding,charlessheimprove}.com",
      "{maryspecialwatch,kathyinformationwhether,bryantenunder,vickisaveworker}.com",
      "{rebeccacostthousand,lindalastattack,jessicayeahcatch,jeanprofessorcentral}.com",
      "{juliewomanwish,garylargeavailable,jennifereconomicgive,pamelachangemission}.com",
      "{ellenpoliticalfollow,matthewhotelscience,nicolehappyoutside,rebeccapracticeloss}.com",
      "{kennethofficialitem,guidon40hyporadius9,paulkitchendark,strawberriesporail}.com",
      "{timberwoodanotia,kathleenmemberhistory,shannonpersonalcost,cindyeyefinal}.com",
      "{michaelapplysome,sethniceletter,brucevotewithin,rebeccaneverbase,lisatrialidea}.com",
      "{toddpartneranimal,jamessoundcost,chuckle-tube,goofy-banana,mariatheserepublican}.com",
      "{ianrequireadult,voeunblock7,voeunblock8,voeunblock9,voeunblock10}.com",
      "{voe-unblock,un-block-voe,voeun-block}.net",
    ],
    confidence: "L",
    rules: [
      means("service_unavailable", { title: "^Maintenance Mode" }),
      means("service_unavailable", {
        matches: String.raw`>\s{0,20}(?:Server overloaded, download temporary disabled|Access to this file has been temporarily restricted)|The server of this file is currently over`,
      }),
      means("service_processing", {
        matches: String.raw`>\s{0,20}(?:File is in the encoding queue|Encoding in progress, please wait)|class="progress-bar encoding-process"`,
      }),
      shows(
        String.raw`class="player-title"[^>]{0,200}>\s{0,20}[^<\s]|(?:name|property)="og:title" content="[^"]|type="application/json">\s{0,20}\["`,
      ),
    ],
  }),
  host({
    id: "filemoon",
    name: "Filemoon",
    hosts: [
      "{filemoon,byse}.sx",
      "{bysejikuar,bysedikamoum,byseraguci,bysezejataos,f51rm,bysekoze,bysesayeveum}.com",
      "{bysesukior,f16px,bysetayico,bysevepoin,bysefujedu,bysebuho,cinegrab,96ar,c1z39,xcoic}.com",
      "{bysewihe,byselapuix,bysezoxexe}.com",
      "filemoon.to",
      "filemoon.eu",
      "{filemooon,filemoon,moflix-stream}.link",
      "{morgan0928-6v7c14vs,z1ekv717,8mhlloqo}.fun",
      "{bf0skv,sb1254w9megshle}.org",
      "{ghajini-emtftw1o,222i8x}.lol",
      "{filemoon,furher}.in",
      "filemoon.wf",
      "filemoon.art",
      "moonmov.pro",
      "kerapoxy.cc",
      "{1azayf9w,81u6xl9d}.xyz",
      "smdfs40r.skin",
      "l1afav.net",
      "filemoon.nl",
      "{boosteradx,streamlyplayer,streamlyplayero}.online",
      "embedplaybyse.top",
    ],
    path: "^/(?:[de]|download|[a-z]{4})/(?<id>[A-Za-z0-9]{12})(?:/.*)?$",
    ask: ["details", "embed/details"].map((what, index) => ({
      url: `https://{host}/api/videos/{id}/${what}`,
      rules: [
        means("ok_service", { status: 200, json: { title: { empty: false } } }),
        index === 0
          ? means("next", { status: 404 })
          : dead("service_not_found", "C2", { status: 404, json: { "": { exists: true } } }),
      ],
    })),
    rules: [
      dead("service_not_found", "C2", {
        matches: String.raw`<h1>\s{0,20}Page not found|class="error e404"`,
      }),
    ],
  }),
  host({
    id: "ddownload",
    name: "DDownload",
    hosts: ["ddownload.com", "ddl.to", "ucdn.to"],
    confidence: "H",
    main: { host: String.raw`^(?:www\.)?ddownload\.com$`, url: "https://ddownload.com/{id}" },
    rules: [
      dead("service_takedown", "C1", { matches: says("[^<>]{0,60}banned by copyright") }),
      shows('class="dk-(?:dl-password|pw-header)"', "ok_service_protected"),
      shows(
        String.raw`class="(?:[^"]{0,60}\s)?(?:file-info-name|dk-dl-name|dl-file-name)"[^>]{0,200}>\s{0,20}[^<\s]`,
      ),
    ],
  }),
  host({
    id: "katfile",
    name: "Katfile",
    hosts: ["katfile.{com,cloud,online,vip,ws,biz,space}"],
    confidence: "H",
    rules: [
      dead("service_deleted", "C1", { url: "/404-remove" }),
      dead("service_deleted", "C1", { text: "/404-remove" }),
      dead("service_deleted", "C1", {
        matches: says("[^<>]{0,40}deleted by its owner"),
        // As part of the usual list of causes it does not show the actual cause.
        unless: { matches: `The file expired|${XFS_FORM}` },
      }),
    ],
  }),
  host({
    id: "send-now",
    name: "send.now",
    hosts: ["send.{now,cm}", "sendit.cloud", "usersfiles.com", "tusfiles.{com,net}"],
    rules: [
      dead("service_deleted", "C1", {
        matches: says(String.raw`[^<>]{0,80}no longer available![\s.!]{0,5}(?:<|$)`),
      }),
      shows(
        String.raw`data-feather="file"[^>]{0,200}>\s{0,20}</i>\s{0,20}[^<\s]|&text=[^"]{1,500}" target="_blank">\s{0,20}Share on Telegram`,
      ),
    ],
  }),
  host({
    id: "datanodes",
    name: "DataNodes",
    hosts: ["datanodes.to"],
    rules: [shows('file-actions link="https?://[^/"]{1,100}/[a-z0-9]{12}/[^/"]')],
  }),
  host({
    id: "clicknupload",
    name: "ClicknUpload",
    hosts: [
      "clicknupload.{click,link,red,to,cc,co,org,com,me,club,online,download,vip,site,xyz,one}",
      "clicknupload.{name,space,cfd}",
      "clickndownload.{org,space,click,link,site,online,cloud,cfd}",
    ],
  }),
  host({ id: "dailyuploads", name: "DailyUploads", hosts: ["dailyuploads.{net,cc,im,in,io}"] }),
  host({
    id: "drop-download",
    name: "Drop.download",
    hosts: ["drop.download", "dropapk.{to,com}", "fastclick.to", "mixloads.com"],
  }),
  host({ id: "hexupload", name: "HexUpload", hosts: ["hexupload.{net,com}"] }),
  host({ id: "hexload", name: "HexLoad", hosts: ["hexload.com"] }),
  host({
    id: "hotlink-cc",
    name: "Hotlink.cc",
    hosts: ["hotlink.cc", "redirect.codes"],
    // The page reports premium-only files as missing; the link checker does not.
    ask: {
      url: "https://hotlink.cc/?op=check_files",
      form: { op: "check_files", process: "Check URLs", list: "https://hotlink.cc/{id}" },
      rules: [
        dead("service_not_found", "C1", {
          status: 200,
          text: "{id}",
          matches: String.raw`<tr>(?:(?!</?tr>)[\s\S]){0,2000}Not found`,
        }),
        means("ok_service", {
          status: 200,
          text: "{id}",
          matches: String.raw`<td[^>]{0,200}>\s{0,20}[\d.]{1,20}\s{0,20}(?:bytes|[KMGT]B)\s{0,20}</td>`,
        }),
      ],
    },
    rules: [
      { matches: XFS_GONE, means: "service_not_found", hours: 24 },
      shows(
        String.raw`class="glyphicon glyphicon-(?:download|play-circle)"[^>]{0,200}>\s{0,20}</i>\s{0,20}[^<"\s]`,
      ),
    ],
  }),
  host({
    id: "mexashare",
    name: "Mexashare",
    hosts: ["mexa.sh", "mexashare.com", "mx-sh.net"],
    rules: [
      means("service_unavailable", {
        matches: String.raw`>\s{0,20}The site is currently under maintenance`,
      }),
    ],
  }),
  host({
    id: "novafile",
    name: "Novafile",
    hosts: ["novafile.{org,com}", "nfile.cc"],
    rules: [dead("service_not_found", "C1", { text: 'id="file-not-found"' })],
  }),
  host({ id: "userscloud", name: "UsersCloud", hosts: ["userscloud.com", "usercdn.com"] }),
  host({
    id: "uploadrar",
    name: "UploadRAR",
    hosts: ["uploadrar.{com,net}", "cloud.getpczone.com"],
  }),
  host({
    id: "uploady",
    name: "Uploady",
    hosts: ["uploady.io", "uploadydl.com"],
    rules: [
      shows(
        String.raw`As a Guest user, you can download files up to(?:\s{0,20}<strong>)?\s{0,20}\d`,
        "ok_service_protected",
      ),
    ],
  }),
  host({ id: "usersdrive", name: "UsersDrive", hosts: ["usersdrive.com"] }),
  host({ id: "worldfiles", name: "World-Files", hosts: ["world-files.com"] }),
  host({ id: "desiupload", name: "DesiUpload", hosts: ["desiupload.co"] }),
  host({ id: "wupfile", name: "Wupfile", hosts: ["wupfile.com", "salefiles.com"] }),
  host({
    id: "isra-cloud",
    name: "Isra.cloud",
    hosts: ["isra.cloud", "isracloud.com"],
    rules: [shows(String.raw`class="desc"[^>]{0,200}>\s{0,20}<span>\s{0,20}[^<"\s]`)],
  }),
  host({
    id: "rapidcloud",
    name: "RapidCloud",
    hosts: ["rapidcloud.cc"],
    rules: [
      shows(
        String.raw`>\s{0,20}You\S{1,7}re attempting to download a|in order to purchase an access to this file for just`,
        "ok_service_protected",
      ),
    ],
  }),
  host({
    id: "upstream",
    name: "UpStream",
    hosts: ["upstream.to"],
    rules: [dead("service_not_found", "C1", { text: '/image-404.png"' })],
  }),
];
