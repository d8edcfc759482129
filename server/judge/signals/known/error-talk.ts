/** Who speaks for themselves, or names a time. As `folded` writes words: lower case, Latin letters without marks. */
export const PERSON =
  /(?<!\p{L})(?:i|my|mine|i'(?:m|ve|d|ll)|since|yesterday|today|again|always|anyone|everyone|thanks?|ich|mein\w*|mir|mich|seit(?:dem)?|gestern|heute|jemand|danke|je|j'\p{L}+|mon|ma|mes|moi|depuis|hier|quelqu'un|yo|mis?|desde|ayer|hoy|alguien|io|mio|mia|ieri|oggi|qualcuno|eu|meu|minha|ontem|hoje|alguem|ik|mijn|sinds|gisteren|iemand|moj\w*|mam|od|wczoraj|dzis|ktos|muj|vcera|dnes|jag|jeg|min|mitt|igar|idag|sedan|siden|minun?|eilen|ben|benim|bugun|я|меня|мой|моя|мне|мені|вчера|сегодня|снова|кто|вчора|сьогодні)(?!\p{L})|私|僕|今朝|今日|昨日|我的?(?!们|們)|昨天|今天|(?:^|\s)(?:저|제|내|나)(?:가|는|도|\s)|오늘|어제/u;

/** Questions of error pages. */
export const OFFERS =
  /^(?:are you (?:lost|looking)|lost|looking for|searching for|need (?:help|something)|can't find what|what (?:can you do|now|next)|was nun|was konnen sie tun|que faire|que puede|cosa (?:fare|puoi)|wat nu|co dalej|что делать)\b/;

/** What to do in place of reading the page: only as said of pages, sites and addresses. */
export const ADVICE =
  /^(?:(?:please|or|and|but|so|then|also|instead|perhaps|maybe|why not|you(?: (?:can|may|could|might|should|will|want to|wish to|would like to))+|let's|try to),? )*(?:check|double-check|try|use|go|return|get|head|visit|browse|see|search|click|press|take|have a|contact|report|explore|continue|discover|look|start|make sure|let us know|find|view|shop|back|home)\b/;

export const WEB =
  /\b(?:pages?|(?:web)?sites?|home\w*|urls?|address\w*|links?|search\w*|menu|navigat\w*|back|again|spell\w*|typ\w*|contact|support|help\w*|us|our|brows\w*|catalogu?e?|categor\w*|products?|articles?|posts?|shop|store|here|below|above|start\w*|button|error|owner|admin\w*|webmaster|later|refresh|reload|team|content|request|resource|identifier|sitemap|dashboard|index|main|front|archives?|blog|forum|account|list|overview|library|documentation|files?|items?|else|instead)\b/;

export const TALK: readonly RegExp[] = [
  // The names of servers
  /^(?:nginx|openresty|tengine|apache|microsoft-iis|iis|litespeed|caddy|lighttpd|cloudflare|varnish)(?:[ /].{0,80})?$/,
  // English
  /^(?=(?:.{0,80}[ ,])?(?:it|this|you|they|pages?|(?:web)?sites?|urls?|links?|address(?:es)?|files?|documents?|content|resources?|items?|products?|articles?|posts?|stor(?:y|ies)|videos?|ads?|jobs?|offers?|listings?|topics?|threads?|records?|entr(?:y|ies))\b).{0,160}\b(?:may|might|could|must)\b.{0,60}\b(?:moved|removed|renamed|deleted|mistyped|misspelled|outdated|broken|expired|incorrect|wrong|changed|relocated|archived|sold|withdrawn|discontinued|unpublished|hidden|closed|merged|taken (?:down|offline)|(?:un)?available|gone|missing|exist)\b(?! by (?!(?:its|the|their|an?) (?:owner|author|user|uploader|creator|seller|advertiser|poster|moderator|admin)))/,
  /^(?:(?:it|this|that|the|your) (?:(?!of\b)[\w-]+ ){0,5})?(?:(?:has|have) been|was|were) (?:\w+ or )?(?:moved|removed|renamed|deleted|archived|sold|withdrawn|discontinued|unpublished|taken (?:down|offline))\b.{0,40}$/,
  /\b(?:you|we) (?:followed|typed|entered|mistyped|requested|clicked)\b|\b(?:what(?:ever)?|it|this|page|(?:web)?site|url|link|address|file|document|content|resource|item|product|article|post|story|video|ad|job|offer|listing|topic|thread|record|entry|user|profile)\b(?: that| which)? (?:you|we)(?:'re| are| were) (?:looking|searching) for\b|^if you\b/,
  /^(?:error|oo+ps|whoops|uh-oh|sorry|we(?:'re| are) sorry|we apologi[sz]e|apologies|unfortunately|here (?:are|is) (?:some|a|the)|no worries|don't worry|this is a 404)\b.{0,80}$/,
  /^(?:there(?:'s| is) )?nothing (?:is |to see |was found |left )?(?:here|there)[.!]?$/,
  /^(?:similar|related|other|more|popular|recent|latest|useful|helpful|suggested|recommended|featured) (?:products?|items?|pages?|posts?|articles?|ads?|jobs?|offers?|topics?|stories|links?|resources?|listings?|searches|categories|news|results)\b.{0,20}$/,
  // German
  /^(?:(?:bitte|oder|und|aber|vielleicht|alternativ|sie konnen|du kannst|konnen sie|stattdessen) )*(?:uberpruf|pruf|versuch|nutz|verwend|benutz|geh|kehr|besuch|such|klick|kontaktier|zuruck|wechsel|zur startseite)/,
  /^(?:(?:(?:vielleicht|moglicherweise|eventuell)(?: \p{L}+)? )?(?:sie|er|es)|(?:die|diese|das|dieses|der|dieser|vielleicht|moglicherweise|eventuell)\b.{0,80}(?:seiten?|inhalte?|adressen?|url|links?|datei(?:en)?|artikel|beitrag|beitrage|produkte?|anzeigen?|inserate?|thema|themen|angebote?|stellen?|dokumente?|eintrage?|videos?))(?!\p{L}).*(?:verschoben|geloscht|entfernt|umbenannt)(?: \p{L}+){0,2}[.!]?$/u,
  /\b(?:moglicherweise|eventuell|vielleicht)\b.*\b(?:veraltet|falsch|fehlerhaft|nicht mehr)\b/,
  /^(?:fehler|hoppla|ups|entschuldigung|es tut uns leid|tut uns leid|das tut uns leid)\b.{0,60}$|^(?:ahnliche|weitere|andere) (?:produkte|artikel|seiten|anzeigen|angebote|stellen)\b/,
  // French
  /^(?:(?:veuillez|merci de|ou|et|mais|vous pouvez(?: aussi)?|n'hesitez pas a|peut-etre) )*(?:verifi|essay|utilis|retourn|reven|retour|visit|cherch|rechercher|cliqu|contact|consult|decouvr)/,
  /^(?:(?:peut-etre .{0,10})?\b(?:elle|il)|(?:la|le|l'|cette|ce|cet|peut-etre)\b.{0,80}\b(?:pages?|contenu|adresse|url|liens?|fichier|article|produit|annonce|sujet|offre|document|video|site|ressource|publication|message|billet|fiche|rubrique))\b.*(?:deplace|supprime|renomme|retire)e?s?(?: .{0,20})?[.!]?$/,
  /^(?:erreur|oups|desole|nous sommes desoles)\b.{0,60}$|^(?:autres|produits|articles) similaires/,
  // Spanish and Portuguese
  /^(?:(?:por favor,?|o|ou|y|e|pero|mas|puedes?|voce pode|pode|tambien|tambem) )*(?:comprueb|compruebe|verifi|revis|intent|tent|us[ae]\b|utili[cz]|vuelv|volt|regres|visit|busc|procur|pesquis|hag[ae]\b|haz|clique|contact|contat|consult|ir a|ir para)/,
  /\b(?:es posible|puede|podria|quiza|talvez|pode)\b.*(?:movid[oa]|eliminad[oa]|borrad[oa]|removid[oa]|excluid[oa]|renombrad[oa]|renomead[oa]|incorrect[oa]|incorret[oa])(?: .{0,20})?[.!]?$|^(?:error|erro|ups|lo sentimos|lo siento|desculpe|lamentamos)\b.{0,60}$/,
  // Italian
  /^(?:(?:per favore,?|si prega di|o|oppure|e|ma|puoi|prova a) )*(?:controll|verific|prov|us[ai]\b|utilizz|torn|visit|cerc|clicc|contatt|vai|ritorn)/,
  /\b(?:potrebbe|forse|probabilmente|possibile)\b.*(?:spostat[ao]|rimoss[ao]|eliminat[ao]|cancellat[ao]|errat[ao])[.!]?$|^(?:errore|ops|spiacenti|siamo spiacenti|ci dispiace)\b.{0,60}$/,
  // Dutch
  /^(?:(?:of|en|maar|u kunt|je kunt|probeer) )*(?:controleer|probeer|gebruik|ga|keer|bezoek|zoek|klik|neem contact|terug)/,
  /\b(?:misschien|mogelijk|wellicht|kan)\b.*(?:verplaatst|verwijderd|hernoemd|verouderd|onjuist)(?: \p{L}+)?[.!]?$|^(?:fout|oeps|helaas|sorry|onze excuses)\b.{0,60}$/u,
  // Polish and Czech
  /^(?:(?:prosze|prosimy|lub|albo|i|mozesz|prosim|nebo|muzete) )*(?:sprawdz|sprobuj|uzyj|skorzystaj|wroc|przejdz|odwiedz|wyszukaj|kliknij|skontaktuj|powrot|zkontroluj|zkuste|pouzij|vratte|prejd|navstiv|vyhled|kliknete|kontaktuj|zpet)/,
  /\b(?:mogla|mogl|byc moze|mozliwe|moze|mohla|mohl|mozna|mozne)\b.*(?:przeniesion[aye]|usuniet[aye]|zmienion[aye]|presunut[aoy]|odstranen[aoy]|smazan[aoy])[.!]?$|^(?:blad|przepraszamy|chyba|omlouvame se)\b.{0,60}$/,
  // Russian and Ukrainian
  /^(?:(?:пожалуйста,?|или|и|вы можете|попробуйте|будь ласка,?|або|ви можете) )*(?:проверьте|попробуйте|используйте|воспользуйтесь|вернитесь|вернуться|перейдите|перейти|посетите|найдите|нажмите|свяжитесь|назад|перевірте|спробуйте|скористайтеся|поверніться|повернутися|перейдіть)/,
  /(?<!\p{L})(?:возможно|может|могла|можливо|могла)(?!\p{L}).*(?:перемещен|удален|переименован|переміщен|видален)\p{L}*[.!]?$|^(?:ошибка|упс|извините|приносим извинения|помилка|вибачте)(?!\p{L}).{0,60}$/u,
  // Swedish, Danish, Norwegian and Finnish
  /^(?:(?:vanligen|venligst|vennligst|eller|och|og|du kan|tai|voit) )*(?:kontrollera|kontroller|prova|prøv|prov|anvand|brug|bruk|ga|besok|besøg|søk|sok|søg|klicka|klik|klikk|tillbaka|tilbage|tilbake|tarkista|kokeile|kayta|palaa|siirry|etsi)\b/,
  /\b(?:kan|kanske|maske|kanskje|on ehka|ehka)\b.*(?:flyttats?|tagits bort|raderats?|flyttet|fjernet|slettet|siirretty|poistettu)[.!]?$|^(?:fel|feil|fejl|beklager|virhe|pahoittelemme)\b.{0,60}$/,
  // Turkish and Hungarian
  /^(?:(?:lutfen|veya|kerjuk|vagy) )*(?:kontrol|dene|ana sayfa|geri|ellenoriz|probal|terjen|vissza)|(?:tasinmis|silinmis|kaldirilmis)(?: olabilir)[.!]?$|^(?:hata|uzgunuz|hiba|sajnaljuk|elnezest)\b.{0,60}$/,
  // Japanese, Chinese and Korean
  /(?:移動|削除|変更).{0,12}可能性|ご確認|確認してください|お探しの|トップページ|ホームに?戻|申し訳|お手数|検索してください/,
  /(?:可能|或).{0,10}(?:删除|刪除|移除|移动|移動|更改)|(?:请|請)(?:检查|檢查|确认|確認|尝试|嘗試|返回|点击|點擊|联系|聯繫)|返回(?:首页|首頁|上一页|上一頁)|抱歉|对不起|對不起/,
  /(?:삭제|이동|변경).{0,12}수 있|확인해 ?(?:주세요|주시기)|홈으로|죄송/,
];
