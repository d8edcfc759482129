import { wordList } from "../../../ground/lib/text.ts";
import { wholly } from "./signature.ts";

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
export const LOGIN_ADDRESS = new RegExp(
  `^(?:${LOGIN_HOSTS})[/:]|^[^?]*/(?:${LOGIN_SEGMENTS})(?:\\.(?:php|aspx?|html?|jsp|jsf|do|action|cgi|cfm))?(?:[/;?]|$)`,
  "i",
);

export const CONSENT_HOST =
  /^(?:consent\.(?:google|youtube|yahoo)\.[a-z.]{2,6}|guce\.[a-z]+\.com)\//;

export const CONSENT_ADDRESS =
  /^(?:consent|cmp|myprivacy|privacy)\.|^[^?]*\/(?:consent|(?:cookie|gdpr|privacy)[-_]?(?:consent|wall|gate)|consent[-_]?(?:wall|page|form|gate)|collectconsent)(?:\.(?:php|aspx?|html?))?(?:[/?]|$)/i;

export const AGE_ADDRESS =
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

/** Parameter names of return addresses, without `-`, `_` and dots. */
export const RETURN_NAMES = new Set(
  wordList(`next continue continueurl continueto return returnto returnurl returnuri returnpath redirect redirectto
  redirecturl redirecturi redirectpath redirectafterlogin redir r back backurl backto goto go dest destination
  destinationurl target targeturl from fromurl forward forwardurl successurl callback callbackurl camefrom ref
  referer referrer origin originalurl originurl originaluri service url u requesturl requesturi relaystate
  samlrequest wreply wctx sessionredirect then path state tourl after afterlogin`),
);

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
export const ABOUT_AGE =
  /(?:^|[^a-z])(?:age|adults?)(?:[^a-z]|$)|alters|edad|leeftijd|wiek|возраст/i;
