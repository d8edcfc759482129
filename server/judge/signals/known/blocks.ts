const either = (...patterns: string[]) => `(?:${patterns.join("|")})`;
const OH = "(?:(?:we['’]re |we are )?(?:sorry|unfortunately|oops|uh[ -]oh)[,!.:]* )?(?:but )?";
const THING =
  "(?:content|video|programme?|page|(?:web ?)?site|service|(?:live ?)?stream|channel|media|material|show|film|movie|episode|app)s?";

const IT = `(?:this|the|our|that|these) ${THING}(?: you (?:requested|are (?:looking for|trying to (?:access|view|watch|reach))))?`;
const IS_NOT =
  "(?:(?:is|are)(?: currently| presently)? (?:not(?: currently| yet)? |un)|(?:isn|aren)['’]t(?: currently| yet)? )";

const HERE =
  "(?:your|this|the) (?:current )?(?:country|region|location|area|territory|jurisdiction|geographic(?:al)? (?:area|region|location))(?: or (?:region|territory|country))?";

const EUROPE = "(?:the (?:European (?:Economic Area|Union)|EEA|EU)|European countries|Europe)";

/** Whole sentences, so that a headline about the topic does not match. */
export const GEO = either(
  `${OH}${IT} ${IS_NOT}(?:available|accessible|supported|offered)(?: to (?:you|users|viewers|visitors))? (?:in|from|for) ${HERE}`,
  `${OH}(?:${THING} )?(?:not |un)available in your (?:country|region|location|area|territory)`,
  `${OH}you (?:are (?:currently )?(?:not able|unable) to|cannot|can['’]t|may not) (?:access|view|watch|visit|use) ${IT} (?:from|in) ${HERE}`,
  `${OH}access (?:to (?:this|our) ${THING} )?(?:from|in) your (?:country|region|location) (?:is|has been) (?:blocked|restricted|denied|prohibited|not (?:allowed|permitted))`,
  `${OH}access denied in your (?:country|region|location)`,
  `${OH}(?:this|our) ${THING} (?:is|are) (?:currently )?(?:unavailable|not available) (?:to (?:visitors|users) from|in) (?:most )?(?:of )?${EUROPE}`,
  `we recogni[sz]e you are attempting to access this website from a country belonging to ${EUROPE}`,
  "(?:leider )?(?:ist|sind) (?:dieser?s?|der|die|das) [\\p{L}-]{3,20} in (?:deinem|ihrem) (?:land|gebiet) nicht verfügbar",
  "(?:dieser?s?|der|die|das) [\\p{L}-]{3,20} (?:ist|sind) (?:leider )?in (?:deinem|ihrem|deiner|ihrer) (?:land|gebiet|region) (?:leider )?nicht verfügbar",
  "(?:ce|cet|cette|ces) [\\p{L}-]{3,20} (?:n['’]est|ne sont) pas (?:disponibles?|accessibles?) dans votre (?:pays|région|zone)",
  "(?:este|esta|el|la) [\\p{L}-]{3,20} no est[áa] disponible en (?:tu|su) (?:país|región|zona)",
  "(?:questo|questa|il|la) [\\p{L}-]{3,20} non è disponibile (?:nel (?:tuo|suo) paese|nella (?:tua|sua) (?:regione|zona))",
  "(?:este|esta|o|a) [\\p{L}-]{3,20} não está disponível (?:no seu país|na sua região)",
  "deze [\\p{L}-]{3,20} is niet beschikbaar in (?:jouw|je|uw) (?:land|regio)",
  "(?:ta|ten|to|te) [\\p{L}-]{3,20} (?:nie jest|jest nie)dostępn[aey] w (?:twoim|państwa) (?:kraju|regionie)",
  "(?:den här|det här|dette|denne) [\\p{L}-]{3,20} (?:är|er) (?:inte|ikke) (?:tillgänglig|tilgængelig|tilgjengelig)t? i (?:ditt|dit) (?:land|område)",
  "(?:bu )?[\\p{L}-]{3,20} (?:ülkenizde|bölgenizde) (?:kullanılamıyor|mevcut değil|kullanılabilir değil)",
  "(?:귀하의|현재) (?:국가|지역)에서는? .{0,30}(?:없습니다|않습니다)",
  "(?:этот |данный |эта |данная |это )?(?:контент|сайт|видео|страница|материал) недоступ(?:ен|на|но) в ваш(?:ей стране|ем регионе)",
  "お住まいの(?:国|地域).{0,40}(?:できません|いただけません)",
  "(?:您|你)所在的(?:国家|地区|國家|地區).{0,20}(?:无法|不能|不可|暂不|無法)[^。]{0,20}",
);

const IP = "ip(?: address)?(?: ?\\(?[0-9a-f.:]{3,45}\\)?)?";
const HAVE =
  "(?:has been|have been|is|are|was)(?: currently| temporarily| permanently| automatically)?";

const BLOCKED = "(?:blocked|banned|blacklisted|blocklisted|denied|restricted)";

export const IP_BLOCK = either(
  `${OH}your ${IP} ${HAVE} ${BLOCKED}`,
  `${OH}(?:access|requests|connections|traffic) from your ${IP} ${HAVE} ${BLOCKED}`,
  `${OH}your ${IP} is on (?:a|our) (?:block|black|deny) ?list`,
  "доступ ограничен: проблема с ip",
);

const LEGAL_CAUSE =
  "(?:legal (?:reasons|grounds)|(?:a|an) (?:court order|(?:legal|government) (?:request|demand|order)|(?:copyright|dmca|trademark) (?:claim|complaint|notice|infringement)))";

export const LEGAL = either(
  `${OH}(?:${IT}|this domain) (?:is|has been|was) (?:currently )?(?:not available|unavailable|blocked|restricted|removed|disabled)(?: in your (?:country|region))? (?:for|due to|on|because of|following|in response to) ${LEGAL_CAUSE}.{0,60}`,
  `(?:unavailable|blocked) (?:for|due to) ${LEGAL_CAUSE}`,
  "this (?:domain(?: name)?|(?:web ?)?site) has been seized(?: .{1,80})?",
  "доступ к (?:этому |данному |запрашиваемому )?(?:сайту|(?:информационному )?ресурсу) (?:ограничен|заблокирован)(?: .{1,80})?",
);

/** An address about geoblocking. */
export const ABOUT_GEO =
  /(?:not|un)[-_]?available|geo[-_]?(?:block|restrict)|(?:region|country)[-_]?(?:lock|block|restrict)/i;
