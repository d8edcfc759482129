import type { Page } from "../page/page.ts";
import type { Seen } from "../probe/finding.ts";
import { decoded } from "./addresses.ts";
import { isDeep } from "./logins.ts";
import { SMALL, sayingsOf, titlesOf, type Wall } from "./wall.ts";

const wholly = (patterns: string[]) =>
  new RegExp(`^[^\\p{L}\\p{N}]*(?:${patterns.join("|")})[^\\p{L}\\p{N}]*$`, "iu");

const AGE = "(?:1[68]|19|2[01])";
const YOU_ARE =
  "(?:are you|you must be|i am|i['’]m|must be|(?:please )?(?:confirm|verify)(?: that)? you are|only for (?:people|persons|visitors))";

/** A question or a demand, in whole sentences. */
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

/** The same in words that may also head a page about such a question. */
export const NAMES_AGE = wholly([
  "age (?:verification|check|gate|confirmation)|adults only|18\\+(?: only)?|age[- ]restricted(?: (?:content|area|site))?",
  "alters(?:verifikation|prüfung|abfrage|kontrolle|nachweis)|vérification de l['’]âge|verificación de edad",
  "verifica (?:dell['’])?età|verificação de idade|leeftijds(?:verificatie|controle|check)|weryfikacja wieku",
  "(?:подтверждение|проверка) возраста|ověření věku|ålders(?:kontroll|verifiering)",
]);

/** An address about such questions. */
const ABOUT_AGE = /(?:^|[^a-z])(?:age|adults?)(?:[^a-z]|$)|alters|edad|leeftijd|wiek|возраст/i;

/** A site that asks for its reader's age first. */
export const AGE_WALLS: readonly Wall[] = [
  {
    rule: "age_words",
    reason: "consent_wall",
    text: "The page asks for the reader's age first.",
    when: {
      status: [200, 202, 203],
      isPlain: true,
      also: (seen) => isDeep(seen) && !ABOUT_AGE.test(decoded(seen.url.pathname)) && asksAge(seen),
    },
  },
];

function asksAge({ answer: { page }, url }: Seen): boolean {
  if (!page) return false;
  if (titlesOf(page).some((words) => ASKS_AGE.test(words))) return true;
  const isShort = page.text.length < SMALL;
  if (isShort && sayingsOf(page).some((words) => NAMES_AGE.test(words))) return true;
  return ASKS_AGE.test(page.heading) && !isAbout(page, url) && (isShort || !isLaidOver(page));
}

/** A page under a question that scripts lay over it is titled by what it is about. */
function isAbout({ title }: Page, { pathname }: URL): boolean {
  const named = pathname.split("/").findLast((part) => part !== "") ?? "";
  const words =
    decoded(named)
      .toLowerCase()
      .match(/\p{L}{4,}/gu) ?? [];
  return words.some((word) => title.toLowerCase().includes(word));
}

/** Whether the heading stands in an element that is shown over the page. */
function isLaidOver({ markup }: Page): boolean {
  const at = markup.search(/<h1\b/i);
  return LAYER.test(markup.slice(Math.max(0, at - BEFORE_HEADING), at + AFTER_HEADING));
}

const BEFORE_HEADING = 600;
const AFTER_HEADING = 200;
const LAYER = /\b(?:class|id|role)\s*=\s*["'][^"']*(?:modal|overlay|pop-?up|dialog|lightbox)/i;
