export const NAME = String.raw`[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:\.[\p{L}\p{N}-]{2,63}){1,3}`;
export const MARKS = String.raw`[\s\p{P}\p{S}]{0,12}`;

/** The word for a domain in one language, with or without its name, or the name alone. */
const subject = (words: string) => `(?:${words}(?: ${NAME})?|${NAME})`;

const DOMAIN = subject(
  "(?:(?:this|the|our) )?(?:premium |web ?site |internet )?(?:domain(?: ?name)?|web ?address)",
);

const DOMAIN_DE = subject("(?:(?:diese|die) )?(?:premium-?)?domain");
const DOMAIN_FR = subject("(?:ce |le )?(?:nom de )?domaine");
const DOMAIN_ES = subject("(?:este |el )?(?:nombre de )?dominio");
const DOMAIN_IT = subject("(?:questo |il )?(?:nome (?:di |a )?)?dominio");
const DOMAIN_NL = subject("(?:(?:dit |het )?domein|(?:deze |de )?domeinnaam)");
const DOMAIN_PT = subject("(?:este |o )?(?:nome de )?domínio");
const DOMAIN_PL = subject("(?:ta )?domena");
const DOMAIN_RU = subject("(?:(?:этот |данный )?домен|(?:это |данное )?доменное имя)");

export const FOR_SALE = [
  `${DOMAIN} (?:is|may be|might be|could be) (?:now |currently |still )?(?:listed )?(?:for sale|up for (?:sale|auction)|available for (?:sale|purchase))`,
  `${DOMAIN} (?:available )?for sale`,
  "(?:buy|purchase|acquire|own|get) this (?:premium )?(?:domain(?: ?name)?|web ?address)",
  "(?:inquire|enquire|ask|contact us) about this domain(?: ?name)?",
  `make (?:us )?an offer (?:on|for) (?:this domain(?: ?name)?|${NAME})`,
  "interested in (?:buying |purchasing |acquiring )?this domain(?: ?name)?\\??",
  `${DOMAIN_DE} (?:steht (?:aktuell |derzeit )?zum verkauf|ist (?:zu verkaufen|käuflich|zu kaufen)|zu verkaufen|zum verkauf)`,
  "diese domain (?:jetzt )?(?:kaufen|erwerben)",
  `${DOMAIN_FR} (?:est )?(?:à vendre|en vente)`,
  "(?:acheter|achetez) ce (?:nom de )?domaine",
  `${DOMAIN_ES} (?:está )?(?:en|a la) venta`,
  "compr(?:ar|e|a) este (?:nombre de )?dominio",
  `${DOMAIN_IT} (?:è )?in vendita`,
  "(?:acquista|compra) questo dominio",
  `${DOMAIN_NL} (?:is )?te koop`,
  "koop (?:dit domein|deze domeinnaam)",
  `${DOMAIN_PT} (?:está )?à venda`,
  "compr(?:ar|e) este domínio",
  `${DOMAIN_PL} (?:jest )?na sprzedaż`,
  "kup (?:tę|tą|te) domenę",
  `${DOMAIN_RU} (?:выставлен[оа]? на продажу|прода[её]тся)`,
  "купить (?:этот |данный )?домен",
  `${subject("(?:цей )?домен")} продається`,
  `${subject("(?:den här |denna )?domän(?:en)?")} (?:är )?till salu`,
  "köp (?:den här|denna) domän(?:en)?",
  `${subject("(?:dette )?dom[æe]net?")} (?:er )?til salgs?`,
  `${subject("(?:tato )?doména")} (?:je )?na prodej`,
  "bu alan adı satılıktır",
];

/** Languages without spaces, where letters may follow directly. */
export const FOR_SALE_EAST = [
  "(?:この|本)?ドメイン(?:名)?は?、?(?:現在)?(?:販売中|売り出し中|売却中|売ります|購入(?:できます|可能))",
  "(?:此|该|該|本|这个|這個)?(?:域名|網域)(?:名称|名稱)?(?:可能)?(?:正在|现已|現已|可)?(?:出售|待售|转让|轉讓)",
  "(?:购买|購買)(?:此|该|該|这个|這個)(?:域名|網域)",
  "이 도메인(?:은|을|이)? ?(?:판매|구매|구입)",
];

export const EXPIRED = [
  `${subject("(?:(?:this|the|your) )?domain(?: ?name)?(?: registration)?")} (?:(?:has|is|was) )?(?:recently |just |now )?expired`,
  `${DOMAIN_DE} (?:ist )?abgelaufen`,
  `${DOMAIN_FR} (?:a|est) expiré`,
  `${DOMAIN_ES} ha (?:expirado|caducado)`,
  `${DOMAIN_IT} è scaduto`,
  `${DOMAIN_NL} is verlopen`,
  `${DOMAIN_PT} expirou`,
  `${DOMAIN_PL} wygasła`,
  `срок регистрации (?:этого |данного )?домена(?: ${NAME})? (?:ист[её]к|закончился)`,
];

export const EXPIRED_EAST = [
  "(?:この)?ドメイン(?:名)?(?:の|は)?(?:有効)?期限(?:が|は)?(?:切れ|終了)",
  "(?:此|该|該|您的)?域名(?:已经|已)(?:过期|到期|過期)",
];

const REGISTRARS = String.raw`go ?daddy(?:\.com)?|namecheap|sedo|bodis|porkbun|dynadot|gandi|ionos|strato|ovh|enom|tucows|hover|netim|123-?reg`;
const THIS_PAGE = subject("(?:this|the) (?:web ?page|web ?site|site|page|domain(?: ?name)?)");

export const WITHOUT_SITE = [
  `${THIS_PAGE} (?:is|has been) (?:currently )?(?:a )?parked(?:(?: for)? free)?(?: ?,? courtesy of)?(?= (?:by|at|with|on|domain|page|${REGISTRARS}|${NAME})|${MARKS}$)`,
  "parked (?:for )?free ?,? courtesy of",
  `(?:domain )?parked (?:by|at|with|on|via) (?:${REGISTRARS}|${NAME}|(?:its |the )?owner)`,
  "(?:parked domain|domain parked|domain parking page)",
  `(?:${subject("(?:this|the) domain(?: ?name)?")} )?(?:(?:is|has been|was) )?(?:already |recently |just )?registered (?:at|with|by|through|via) (?:${REGISTRARS}|${NAME})`,
  `${DOMAIN_DE} (?:ist|wurde) (?:geparkt|(?:soeben |bereits |im kundenauftrag )?registriert)`,
  "domain im kundenauftrag registriert",
];

/** A quick test: every statement contains one of these words. Sorted by first letters for speed. */
export const HINT =
  /dom[a-zéíäæ]|a(?:lan adı|ddress|uction|bgelaufen)|s(?:al[eug]|przeda|cadut)|p(?:urchase|rodej|ark)|offer|k(?:[aä]uf|oop)|ve(?:n[dt]|rlopen)|expir|caduca|wygas|regist|домен|прода|ドメイン|域名|網域|도메인/iu;
