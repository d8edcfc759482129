import type { Page } from "../page/page.ts";
import type { Seen } from "../probe/finding.ts";
import { decoded, lastPartOf, returnAddressIn, wordList } from "./addresses.ts";
import { headlinesOf, type Signature, SMALL, signatureFor, titlesOf, wholly } from "./signature.ts";

const consent = signatureFor("consent_wall");
const login = signatureFor("login_required");

const PAGES = [200, 202, 203] as const;

const LOGIN_SEGMENTS = [
  "log[-_]?in",
  "sign[-_]?in",
  "log[-_]?on",
  "sign[-_]?on",
  "(?:wp|web|user|member|customer|service|account|admin)[-_]?(?:log[-_]?in|sign[-_]?in|log[-_]?on)",
  "sso",
  "auth",
  "authwall",
  "authenticate",
  "authorize",
  "sessions?/new",
  "anmelden|anmeldung|einloggen",
  "connexion|se-connecter",
  "iniciar-sesion|acceder",
  "accedi",
  "entrar",
  "inloggen|aanmelden",
  "logowanie|zaloguj",
  "logga-in|logg-inn|log-ind",
  "prihlaseni",
  "bejelentkezes",
  "uye-girisi|giris",
].join("|");

const LOGIN_HOSTS =
  "(?:login|signin|sso|auth|idp|accounts)\\.[^/]+|idmsa\\.apple\\.com|[^/]+\\.(?:okta|auth0|onelogin|cloudflareaccess|amazoncognito|b2clogin)\\.com";

/** A host or a part of a path that is only for logging in. */
const LOGIN_ADDRESS = new RegExp(
  `^(?:${LOGIN_HOSTS})[/:]|^[^?]*/(?:${LOGIN_SEGMENTS})(?:\\.(?:php|aspx?|html?|jsp|jsf|do|action|cgi|cfm))?(?:[/;?]|$)`,
  "i",
);

const CONSENT_HOST = /^(?:consent\.(?:google|youtube|yahoo)\.[a-z.]{2,6}|guce\.[a-z]+\.com)\//;
const CONSENT_ADDRESS =
  /^(?:consent|cmp|myprivacy|privacy)\.|^[^?]*\/(?:consent|(?:cookie|gdpr|privacy)[-_]?(?:consent|wall|gate)|consent[-_]?(?:wall|page|form|gate)|collectconsent)(?:\.(?:php|aspx?|html?))?(?:[/?]|$)/i;

const AGE_ADDRESS =
  /^[^?]*\/(?:age[-_]?(?:gate|check|verification|verify|confirm(?:ation)?)|verify[-_]?(?:your[-_]?)?age|altersabfrage|altersverifikation)(?:\.(?:php|aspx?|html?))?(?:[/?]|$)/i;

const LOGIN_WORDS = [
  "log ?-?in|logon|sign ?-?in|sign ?-?on|log on|log into",
  "(?:please|you (?:must|need to|have to)(?: be)?) (?:log(?:ged)?|sign(?:ed)?)[ -]?in(?: to (?:continue|view|see|access).{0,40})?",
  "(?:log ?-?in|sign ?-?in) (?:or|and|&) (?:register|sign ?-?up|join|create (?:an )?account)|(?:log ?-?in|sign ?-?in) (?:is )?required",
  "(?:member|members|customer|client|user|account|admin|student|staff)s?['’]?s? (?:log ?-?in|sign ?-?in|area log ?-?in)",
  "anmelden|anmeldung|einloggen",
  "connexion|se connecter|connectez-vous|identification",
  "iniciar sesi[óo]n|inicia sesi[óo]n|inicio de sesi[óo]n|acceder",
  "accedi|accesso",
  "entrar|iniciar sessão|fazer login|acessar",
  "inloggen|aanmelden",
  "zaloguj(?: się)?|logowanie",
  "logga in|log ind|logg inn|kirjaudu(?: sisään)?",
  "přihlášení|přihlásit se|prihlásenie|prijava|autentificare|bejelentkezés",
  "giriş(?: yap)?|oturum aç",
  "вход|войти|авторизация|вход в систему|вход на сайт|вхід|увійти",
  "σύνδεση|تسجيل الدخول|התחברות|đăng nhập",
  "ログイン|サインイン|登录|登錄|登入|로그인",
].join("|");

/** A title that only says "log in", apart from the name of the site. */
export const SAYS_LOGIN = new RegExp(
  `^(?:${LOGIN_WORDS})(?: (?:to|into|at|on|bei|à|a|en|no|na|på|w|в) .{1,60})?[^\\p{L}\\p{N}]*$`,
  "iu",
);

export const LOGINS: readonly Signature[] = [
  consent("consent_redirect", "The link leads to a page that asks for consent first.", {
    status: PAGES,
    redirectedTo: CONSENT_HOST,
  }),
  consent(
    "consent_return",
    "The link leads to a page that asks for consent and has a return address.",
    {
      status: PAGES,
      redirectedTo: CONSENT_ADDRESS,
      also: ({ answer }) => namesReturn(answer.finalUrl) || returnAddressIn(answer) !== null,
    },
  ),
  consent("age_redirect", "The link leads to a page that requires an age verification first.", {
    status: PAGES,
    redirectedTo: AGE_ADDRESS,
  }),
  login("login_redirect", "The link leads to a login with a return address.", {
    status: PAGES,
    redirectedTo: LOGIN_ADDRESS,
    // Some logins store the return address on the server after the first request.
    also: ({ answer }) =>
      [...answer.hops.slice(1).map(({ url }) => url), answer.finalUrl].some(namesReturn) ||
      returnAddressIn(answer) !== null,
  }),
  login("login_landing", "The link leads to a login.", {
    status: PAGES,
    redirectedTo: LOGIN_ADDRESS,
    also: (seen) => isDeep(seen) && showsLogin(seen),
  }),
  login("login_page", "The page is only a login.", {
    status: PAGES,
    textUnder: SMALL,
    isPlain: true,
    headline: SAYS_LOGIN,
    signsIn: true,
    also: (seen) => isDeep(seen) && !isLoginItself(seen) && hasOnlyLogin(seen),
  }),
  login("login_title", "The title asks to log in, and the page has a form for a password.", {
    status: PAGES,
    isPlain: true,
    signsIn: true,
    also: (seen) => isDeep(seen) && !isLoginItself(seen) && isTitledLogin(seen),
  }),
  login(
    "login_permission",
    "The page may be hidden from visitors, and has a form for a password.",
    {
      status: PAGES,
      textUnder: SMALL,
      isPlain: true,
      signsIn: true,
      also: (seen) => isDeep(seen) && !isLoginItself(seen) && isWithheld(seen),
    },
  ),
];

export const isLoginAddress = ({ host, pathname }: URL) => LOGIN_ADDRESS.test(host + pathname);

/** Parameter names of return addresses, without `-`, `_` and dots. */
const RETURN_NAMES = new Set(
  wordList(`next continue continueurl continueto return returnto returnurl returnuri returnpath redirect redirectto
  redirecturl redirecturi redirectpath redirectafterlogin redir r back backurl backto goto go dest destination
  destinationurl target targeturl from fromurl forward forwardurl successurl callback callbackurl camefrom ref
  referer referrer origin originalurl originurl originaluri service url u requesturl requesturi relaystate
  samlrequest wreply wctx sessionredirect then path state tourl after afterlogin`),
);

/** A value with a slash, plain or in base64. */
const HAS_SLASH = /\/|^aHR0c|^%2f/i;

function namesReturn(url: string): boolean {
  const query = URL.parse(url)?.searchParams ?? [];
  return [...query].some(([name, value]) => {
    const plain = name.toLowerCase().replace(/[-_.]/g, "");
    return RETURN_NAMES.has(plain) && (plain === "samlrequest" || HAS_SLASH.test(value));
  });
}

/** A link to a home page shows what every visitor sees, even if that is a login. */
const isDeep = ({ url }: Seen) =>
  url.search !== "" || !/^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:index\.\w+)?$/i.test(url.pathname);

const isLoginItself = ({ url }: Seen) => isLoginAddress(url);

const showsLogin = ({ answer: { page } }: Seen) =>
  !!page && (page.passwordFields > 0 || headlinesOf(page).some((words) => SAYS_LOGIN.test(words)));

const isWithheld = ({ answer: { page } }: Seen) =>
  page?.passwordFields === 1 && MAY_BE_PRIVATE.test(page.text);

const TO_SEE = "(?:in order )?to (?:see|view|access|continue|read|open)";

/** Words of a page that may only be hidden from this visitor. */
export const MAY_BE_PRIVATE = new RegExp(
  [
    "\\b(?:do not|don['’]t|may not|might not) have (?:the |sufficient |enough |necessary |required )*(?:permissions?|access|rights|privileges)",
    "\\b(?:not|isn['’]t|aren['’]t) (?:allowed|authori[sz]ed|permitted) to (?:see|view|access)",
    `\\b(?:sign|log) in ${TO_SEE}\\b`,
    "\\b(?:because|if|maybe|or|perhaps|that) you(?: are|['’]re) not (?:logged|signed) in\\b",
    "\\b(?:it|page|content|this(?: [a-z]{2,12})?) (?:is|may be|might be|could be) private\\b",
    "\\bonly shared (?:it )?with\\b",
    "\\bonly (?:available|accessible|visible) (?:to|for|on|in|from|within) (?:the |our )?(?:[a-z]{2,12} )?(?:members|users|subscribers|students|staff|employees|network|intranet|vpn)\\b",
    "\\bkeine?n? (?:ausreichenden?n? )?(?:berechtigung|zugriff|rechte)|\\bnicht (?:berechtigt|öffentlich)|\\b(?:melde dich|melden sie sich|bitte) (?:bitte )?(?:an|anmelden|einloggen),? um .{0,40}(?:zu (?:sehen|lesen|öffnen)|anzusehen|fortzufahren|zuzugreifen|zugriff)",
    "\\bpas (?:l['’]autorisation|les droits|la permission|accès)|\\bpas autorisée?s?|\\bconnectez-vous pour (?:(?:la|le|les|y) )?(?:voir|lire|consulter|accéder|afficher|continuer)",
    "\\bno (?:tienes?|dispone[s]?) (?:de )?(?:permisos?|acceso)|\\binici(?:a|e) sesión para (?:ver|leer|acceder|continuar)",
    "\\bnon (?:hai|disponi) (?:di |dei |il )?(?:permess[oi]|accesso|autorizzazion[ei])|\\baccedi per (?:veder|visualizzar|legger|continuare)",
    "\\bnão tem (?:permissão|acesso)|\\bfaça login para (?:ver|ler|acessar|continuar)",
    "\\bgeen (?:toegang|rechten|toestemming)|\\blog in om .{0,40}te (?:zien|bekijken|lezen)",
    "\\bbrak (?:uprawnień|dostępu)|\\bnie masz (?:uprawnień|dostępu)|\\bzaloguj się,? (?:aby|żeby) (?:zobaczyć|wyświetlić|przeczytać|kontynuować|uzyskać)",
    // "does not exist or is private", in many languages
    "\\b(?:or|oder|ou|o|of|lub) (?:[a-zéè]{1,4} )?(?:priv|prywat)",
    "нет (?:прав|доступа)|войдите,? чтобы (?:увидеть|просмотреть|посмотреть|прочитать|читать|продолжить)|権限がありません|没有权限|沒有權限|권한이 없",
  ].join("|"),
  "i",
);

/** Words of a page that visitors without a session see, as catalogues of libraries show it for each record. */
export const SESSION_OVER =
  /\bsession (?:(?:has|is|was|may have|might have) )?(?:already )?(?:expired|timed[ -]?out|ended|been (?:closed|terminated)|no longer valid|invalid)\b|\b(?:expired|invalid|no (?:valid|active)) session\b|\bsitzung (?:(?:ist|wurde) )?(?:leider )?(?:abgelaufen|beendet|ungültig)|\bsession (?:(?:a|est) )?(?:expirée?|terminée|invalide)|\bsesión (?:ha |está )?(?:expirad|caducad|terminad)|\bsessione (?:è )?(?:scaduta|terminata)|\bsessão (?:expirou|expirada|terminou)|\bsessie (?:is )?(?:verlopen|beëindigd)|\bsesja (?:wygasła|została zakończona)|(?:сессия|сеанс) (?:уже )?(?:ист[её]к|заверш)|セッション.{0,8}(?:切れ|タイムアウト|終了)|会话.{0,3}(?:过期|超时|失效)/i;

const isTitledLogin = ({ answer: { page } }: Seen) =>
  page?.passwordFields === 1 && titlesOf(page).some((words) => SAYS_LOGIN.test(words));

/** A second password field is a registration. */
const hasOnlyLogin = ({ answer: { page } }: Seen) => page?.forms === 1 && page.passwordFields === 1;

const AGE = "(?:1[68]|19|2[01])";
const YOU_ARE =
  "(?:are you|you must be|i am|i['’]m|must be|(?:please )?(?:confirm|verify)(?: that)? you are|only for (?:people|persons|visitors))";

/** A question or request, in whole sentences. */
export const ASKS_AGE = wholly([
  `(?:welcome[!.,]? )?${YOU_ARE}(?: (?:over|above|at least|older than|already))?(?: the age of)? ${AGE}\\+?(?: years?)?(?: old| of age)?(?: (?:or|and) (?:older|over|above|up))?(?: to (?:enter|view|visit|access|continue|buy)(?: .{1,60})?)?`,
  `(?:welcome[!.,]? )?${YOU_ARE} (?:of|over|above) (?:the )?legal (?:drinking |smoking |vaping |purchasing )?age(?: .{1,60})?`,
  "(?:please )?(?:verify|confirm|enter) your (?:age|date of birth)(?: to .{1,60})?",
  "(?:warning[!:.]? )?(?:this|the) (?:web ?)?(?:site|page|content) (?:contains (?:adult|age[- ]restricted|sexually explicit) (?:content|materials?)|is (?:age[- ]restricted|for adults(?: only)?))",
  "(?:bist du|sind sie|seid ihr)(?: (?:schon|bereits|mindestens|über|älter als))* (?:(?:16|18)(?: jahre)?(?: alt)?(?: oder älter)?|volljährig)",
  "(?:bitte )?(?:bestätige|bestätigen sie) (?:bitte )?(?:dein|ihr) alter",
  "avez[- ]vous (?:(?:plus de |au moins )?18 ans(?: ou plus| révolus)?|l['’]âge légal(?: .{1,60})?)",
  "(?:êtes[- ]vous|je suis) majeure?(?:\\(e\\)|·e)?|(?:veuillez )?(?:confirmer|confirmez|vérifiez) votre âge",
  "(?:eres|es usted|soy|sos) mayor(?: de (?:edad|18(?: años)?))?|tienes (?:más de )?18 años|(?:confirma|verifica) (?:tu|su) edad",
  "(?:sei|sono) maggiorenne|hai (?:più di |compiuto (?:i )?)?18 anni|(?:conferma|verifica) la tua età",
  "(?:você )?(?:é maior de idade|(?:é maior|tem mais) de 18(?: anos)?)|confirme (?:a )?sua idade",
  "ben (?:je|jij|u) (?:al )?(?:ouder dan )?18(?: jaar)?(?: of ouder)?|bevestig (?:je|uw) leeftijd",
  "czy (?:masz(?: ukończone)? 18 lat|ukończyłeś(?:/aś)? 18 lat|jesteś pełnoletni[a]?)|potwierdź swój wiek",
  "вам (?:уже )?(?:есть |исполнилось |больше )?(?:18|21)(?: лет| год)?|подтвердите (?:свой |ваш )?возраст",
  "je v[áa]m (?:už |již )?(?:více než |alespoň )?18(?: let| rokov)?|potvrďte svůj věk",
  "är du (?:över|minst|äldre än) (?:18|20)(?: år)?(?: eller äldre)?|er du (?:over|fylt|fyldt) (?:16|18)(?: år)?|oletko (?:yli 18(?:-vuotias)?|täyttänyt 18(?: vuotta)?)",
  "18 yaşından büyük müsünüz",
  "(?:あなたは)?(?:18|20)歳以上ですか|年齢確認|(?:您|你)?(?:是否)?已?年?[满滿](?:18|十八)[周歲岁]?[歲岁]?.{0,4}|年[龄齡](?:验证|驗證|确认|確認)|(?:성인|연령) ?(?:인증|확인)",
]);

/** Words that may also be the title of a page about age verification. */
export const NAMES_AGE = wholly([
  "age (?:verification|check|gate|confirmation)|adults only|18\\+(?: only)?|age[- ]restricted(?: (?:content|area|site))?",
  "alters(?:verifikation|prüfung|abfrage|kontrolle|nachweis)|vérification de l['’]âge|verificación de edad",
  "verifica (?:dell['’])?età|verificação de idade|leeftijds(?:verificatie|controle|check)|weryfikacja wieku",
  "(?:подтверждение|проверка) возраста|ověření věku|ålders(?:kontroll|verifiering)",
]);

/** An address about age verification. */
const ABOUT_AGE = /(?:^|[^a-z])(?:age|adults?)(?:[^a-z]|$)|alters|edad|leeftijd|wiek|возраст/i;

export const AGE_GATES: readonly Signature[] = [
  consent("age_words", "The page requires an age verification first.", {
    status: [200, 202, 203],
    isPlain: true,
    also: (seen) => isDeep(seen) && !ABOUT_AGE.test(decoded(seen.url.pathname)) && asksAge(seen),
  }),
];

function asksAge({ answer: { page }, url }: Seen): boolean {
  if (!page) return false;
  if (titlesOf(page).some((words) => ASKS_AGE.test(words))) return true;
  const isShort = page.text.length < SMALL;
  if (isShort && headlinesOf(page).some((words) => NAMES_AGE.test(words))) return true;
  // Below such a wall the page may stand whole, hidden by a script.
  if (NAMES_AGE.test(page.heading) && titlesOf(page).some((words) => NAMES_AGE.test(words)))
    return true;
  return ASKS_AGE.test(page.heading) && !isAbout(page, url) && (isShort || !isInOverlay(page));
}

/** Whether the title repeats the address, so that an age verification is laid over the page by a script. */
function isAbout({ title }: Page, { pathname }: URL): boolean {
  const words =
    decoded(lastPartOf(pathname))
      .toLowerCase()
      .match(/\p{L}{4,}/gu) ?? [];
  return words.some((word) => title.toLowerCase().includes(word));
}

/** Whether the heading is in an overlay. */
function isInOverlay({ markup }: Page): boolean {
  const at = markup.search(/<h1\b/i);
  return LAYER.test(markup.slice(Math.max(0, at - BEFORE_HEADING), at + AFTER_HEADING));
}

const BEFORE_HEADING = 600;
const AFTER_HEADING = 200;
const LAYER = /\b(?:class|id|role)\s*=\s*["'][^"']*(?:modal|overlay|pop-?up|dialog|lightbox)/i;
