/** What may follow the kind of a thing: a number, a quoted name, or both. */
const NAMED = `(?: (?:no\\.?|nr\\.?|number|id|n?[º°]|№)? ?#?\\d[\\d./-]{0,15})?(?:,? (?:(?:of the page )?(?:named|called|titled) )?["'“”„«»‹›「『][^"“”„«»‹›「」『』]{1,60}["'“”«»‹›」』])?`;

/** "Or was deleted", after another statement, in the languages with such a sentence. */
const OR =
  "or|oder|ou|o|oppure|of|lub|albo|или|або|nebo|alebo|veya|ya da|vagy|sau|eller|tai|hoac|atau|η|أو|או";
const REMOVED =
  "removed|deleted|moved|entfernt|geloscht|verschoben|supprime|deplace|eliminad|borrad|removid|excluid|apagad|movid|rimoss|eliminat|cancellat|spostat|verwijderd|verplaatst|usuniet|przenies|skasowan|удал[её]н|перемещен|перенес[её]н|изтрит|видален|переміщен|smazan|odstranen|presunut|silinmis|silindi|kaldiril|tasinmis|torol|athelyez|sters|mutat|raderat|tagits bort|borttag|slettet|fjernet|flytt|poistettu|siirretty|xoa|go bo|dihapus|dipadam|διαγραφ|μετακινηθ|حذف|נמחק|הוסר";
const OR_REMOVED = `(?:,? (?:${OR}) (?:[^\\s.!?]+ ){0,4}?(?:${REMOVED})[^\\s.!?]{0,6}(?: (?:worden|erli|olabilir|edilmis|bi))?)?`;

/** A sentence of another language about a thing: words before it, its kinds, and what is said of it. */
const about = (before: string, things: string, verbs: string) =>
  `(?:(?:${before}) ){0,3}(?:${things})${NAMED},? (?:${verbs})${OR_REMOVED}`;

const THING =
  "(?:web ?page|page|file(?: or directory)?|document|article|product|video|item|resource|(?:web ?)?site|content|post|story|entry|listing|job(?: posting| ad| offer| listing)?|(?:classified )?ad(?:vert(?:isement)?)?|auction|property|(?:short ?)?link|revision|note|topic|thread|profile|user|object|url|image|photo|event|recipe|record|project|blog|account|channel|album|gallery|group|repository|vacancy|position|offer|deployment)";
const GONE =
  "(?:(?:(?:was|is) )?not (?:be )?found|(?:was|is)n't found|(?:could not|couldn't|cannot|can't|can not) be (?:found|located)|(?:is )?no longer (?:available|active|exists?)|(?:does not|doesn't|did not|didn't) (?:yet |seem to |appear to )?exist|(?:has been|was) (?:moved,? )?(?:or )?(?:removed|deleted)(?:,? or (?:moved|removed|deleted))?)";
/** Things that had their time. A page that expired is a form that waited too long. */
const TIMED =
  "(?:(?:classified )?ad(?:vert(?:isement)?)?|job(?: posting| ad| offer| listing)?|offer|listing|auction|property|(?:download |short ?|share )?link|vacancy|position|file|posting)";
/** What people make at services. A poll or a meeting that ended may still be shown. */
const OF_USERS =
  "(?:issue|bug|ticket|survey|poll|form|playlist|meeting|recording|presentation|board|workspace|paste|snippet|(?:file )?transfer|share|shared (?:file|folder)|invit(?:e|ation))";
const NOT_THERE =
  "(?:(?:(?:was|is) )?not found|(?:could not|couldn't|cannot|can't) be found|(?:does not|doesn't|did not|didn't) exist|no longer exists|(?:has been|was) (?:deleted|removed))";
const SHARED = "(?:paste|snippet|(?:file )?transfer|share|shared (?:file|folder)|invit(?:e|ation))";
const ENDED =
  "(?:(?:has |is )?(?:now |already |since )?(?:ended|expired)|(?:(?:has (?:now |already |since )?been|was|is) )(?:now |already )?(?:filled|taken (?:down|offline)|withdrawn))";
const SEEK =
  "(?:can't|cannot|can not|could not|couldn't|(?:are |were )?unable to) (?:seem to )?(?:find|locate)";
const MORE =
  "(?: (?:yet|any ?more|any longer|by (?:its|the|their) (?:owner|author|user|uploader|creator|seller|advertiser|poster)|here|on this (?:server|site|page)|(?:that )?(?:you|we|at|on)\\b.{0,40}))?";

const CLEAR = [
  // English
  `(?:(?:the|this|that|your|requested|specified|selected) ){0,3}${THING}${NAMED}(?: (?:that )?(?:you|we)\\b.{1,40}?)? ${GONE}${MORE}${OR_REMOVED}`,
  `(?:(?:the|this|that|your|requested|specified|selected) ){1,3}(?:member|message|forum|board|comment|question|discussion|playlist)${NAMED} (?:(?:does not|doesn't) exist|(?:was )?not found|(?:could not|cannot|can't) be found)${MORE}${OR_REMOVED}`,
  `(?:(?:the|this|that|your|requested|sorry,) ){0,3}${TIMED}${NAMED} ${ENDED}${MORE}`,
  `(?:(?:the|this|that) )?${THING}${NAMED} (?:has been|was) taken offline${MORE}`,
  `(?:(?:the|this|that|your|requested|sorry,) ){0,3}${TIMED}${NAMED} (?:is|are) not available (?:any ?more|any longer)`,
  `(?:(?:the|this|that|sorry,) ){0,3}${TIMED}${NAMED} (?:(?:that )?(?:you|we)\\b.{1,40}? )?is no longer (?:open|live|listed|published|online|advertised)`,
  "(?:(?:the|this|that) )?(?:item|record) (?:has been|was) withdrawn(?: and is no longer available)?",
  `(?:(?:the|this|that|your|requested) ){0,3}${OF_USERS}${NAMED} ${NOT_THERE}${MORE}`,
  `(?:(?:the|this|that|your) )?${SHARED}${NAMED} (?:(?:has been|was) (?:deleted|removed) or )?(?:(?:has|is) )?(?:now |already )?expired`,
  `the requested (?:url|page|resource|file|document|object)(?: /\\S*)? (?:was|could) not (?:be )?found${MORE}`,
  `(?:we |i )?${SEEK} (?:(?:the|that|this|your|any|requested) ){0,3}${THING}${MORE}`,
  "(?:page|resource) not[ _]found",
  "invalid (?:thread|post|forum|topic|page|user) specified",
  'the server returned a "?404 not found"?',
  "cannot (?:get|post) /\\S{0,100}",
  "there is currently no text in this page",
  "no such (?:page|file|document|url)",
  "(?:(?:the|this|that) )?(?:page|file|document) is (?:missing|gone)",
  "nothing (?:was )?found (?:here|at this (?:location|address|url))",
  "(?:that|this)(?:'s| is) (?:an error|a 404)",
  "there (?:isn't|is not|is no|is nothing) (?:a )?(?:github pages site |such page )?(?:here|at this (?:address|url|location))?",
  // The other languages are written as `folded` returns them: lower case, Latin letters without marks.
  // German
  "(?:(?:die|diese|das|dieses|der|dieser|den) )?(?:von ihnen )?(?:(?:angeforderte|aufgerufene|gesuchte|gewunschte)[snr]? )?(?:web|internet)?(?:seite|site|datei|artikel|dokument|inhalt|produkt|video|beitrag|url)(?:,? die (?:sie|du) .{1,30}?,?)? (?:(?:wurde|konnte|kann|ist) )?(?:leider )?(?:nicht (?:mehr )?(?:gefunden(?: werden)?|vorhanden|auffindbar)|nicht mehr verfugbar)",
  "(?:(?:die|diese|das|dieses|der|dieser) )?(?:angeforderte |gesuchte )?(?:seite|datei|artikel|dokument|url) existiert (?:leider )?nicht(?: mehr)?",
  "diese (?:seite|url) gibt es (?:leider )?nicht(?: mehr)?",
  "(?:wir|ich) (?:konnten|konnen|kann) (?:die|diese) (?:gesuchte )?seite (?:leider )?nicht finden",
  about(
    "die|diese|das|dieses|der|dieser|den|leider|ihre|deine|angeforderte[rsn]?|gesuchte[rsn]?|gewunschte[rsn]?|angegebene[rsn]?|ausgewahlte[rsn]?",
    "(?:klein)?anzeige|inserat|stellen(?:anzeige|angebot|ausschreibung)|job(?:angebot)?|stelle|angebot|auktion|objekt|immobilie|link|thema|thread|version|revision|notiz|eintrag|seite|artikel|benutzer(?:in)?|nutzer(?:in)?|mitglied|profil|beitrag|nachricht|kommentar|forum|diskussion|produkt|datei|album|gruppe|umfrage",
    "(?:(?:ist|wurde|hat) )?(?:leider |bereits |inzwischen |schon )?(?:nicht (?:mehr )?(?:vorhanden|gefunden|auffindbar)|nicht mehr (?:verfugbar|aktiv|online)|abgelaufen|beendet|geendet|ausgelaufen|besetzt|vergeben|geloscht|entfernt|deaktiviert|offline genommen)(?: worden)?|existiert (?:leider |noch |in diesem forum )?nicht(?: mehr)?",
  ),
  "(?:(?:das|dieses) )?(?:angefragte |gesuchte )?fahrzeug (?:ist )?(?:leider )?nicht mehr verfugbar",
  "(?:diese[rs]?|das|die) (?:anzeige|inserat|angebot|auktion|stelle|objekt|thema) gibt es (?:leider )?nicht(?: mehr)?",
  // French
  "(?:(?:la|cette|votre|le|ce|cet|l')\\s?)?(?:page(?: web)?|article|document|fichier|produit|video|contenu|ressource)(?: (?:demande|recherche)e?| que vous (?:cherchez|recherchez|demandez|avez demandee?))? (?:est )?(?:introuvable|non trouvee?|inexistante?|inconnue?|n'existe (?:pas|plus)|n'a pas (?:ete |pu etre )trouvee?|n'est plus disponible)",
  "(?:la )?page non existante",
  about(
    "la|cette|votre|le|ce|cet|les|desolee?,?",
    "(?:l'|cette |cet )?(?:petite )?(?:annonce|offre(?: d'emploi)?|enchere|bien|lien|sujet|discussion|fil|revision|version|note|poste|utilisateur|utilisatrice|membre|profil|message|fichier|produit|article|forum|commentaire|sondage|groupe)(?: (?:demande|specifie|recherche|indique|selectionne)e?)?",
    "(?:a (?:deja )?(?:expiree?|ete supprimee? ou deplacee?|pris fin|ete (?:supprimee?|pourvue?|retiree?|mise? hors ligne))|est (?:expiree?|terminee?|pourvue?|cloturee?|introuvable|hors ligne)|expiree?|terminee?|n'est plus (?:disponible|active?|en ligne)|n'existe (?:pas(?: encore)?|plus)|introuvable|n'a pas ete trouvee?)",
  ),
  "(?:l'|cette |votre )?(?:petite )?annonce (?:a ete |est )?desactivee",
  // Spanish
  "(?:(?:la|esta|el|este) )?(?:pagina(?: web)?|articulo|documento|archivo|producto|video|contenido|recurso)(?: (?:solicitad[ao]|que (?:buscas?|esta(?:s)? buscando|ha solicitado)))? (?:no (?:fue |ha sido |pudo ser |se ha |se |esta )?(?:encontrad[ao]|encuentra|encontro|pudo encontrar|existe)|ya no (?:existe|esta disponible)|inexistente)",
  "no (?:se (?:ha encontrado|encontro|encuentra|puede encontrar|pudo encontrar)|encontramos|hemos encontrado|podemos encontrar|pudimos encontrar) (?:la|esta|esa) pagina(?: (?:solicitada|que .{1,25}))?",
  about(
    "la|esta|el|este|lo sentimos,?",
    "anuncio|oferta(?: de (?:empleo|trabajo))?|empleo|puesto|vacante|(?:subasta|propiedad|inmueble|enlace|tema|hilo|revision|nota|publicacion|usuario|miembro|perfil|mensaje|archivo|producto|articulo|foro|comentario|grupo)(?: (?:solicitad|especificad|seleccionad|buscad|indicad)[oa])?",
    "(?:(?:ha|esta) )?(?:ya )?(?:caducad[oa]|expirad[oa]|finalizad[oa]|terminad[oa]|cubiert[oa]|cerrad[oa])|(?:ha )?(?:caduco|expiro|finalizo|termino)|ha sido (?:eliminad[oa]|retirad[oa]|borrad[oa]|cubiert[oa])|ya no (?:existe|(?:esta|se encuentra) (?:disponible|activ[oa]|publicad[oa]))|no (?:existe(?: todavia)?|(?:fue |ha sido |se ha )?encontrad[oa]|se encuentra)",
  ),
  // Italian
  "(?:(?:la|questa|il|questo|l')\\s?)?(?:pagina|articolo|documento|file|prodotto|video|contenuto|risorsa)(?: (?:richiest|cercat)[ao]| che (?:stai cercando|cerchi|hai richiesto))? (?:non (?:e stat[ao] |e )?(?:trovat[ao]|piu disponibile|esiste(?: piu)?|presente)|inesistente)",
  "(?:impossibile trovare|non (?:abbiamo trovato|troviamo)) la pagina(?: (?:richiesta|cercata|che .{1,25}))?",
  about(
    "la|questa|il|questo|lo|spiacenti,?",
    "(?:l'|quest')?(?:annuncio|offerta(?: di lavoro)?|asta|immobile|proprieta|link|collegamento|argomento|discussione|revisione|versione|nota|posizione|inserzione|utente|membro|profilo|messaggio|file|prodotto|articolo|forum|commento|gruppo)(?: (?:richiest|specificat|cercat|selezionat|indicat)[oa])?",
    "(?:(?:e|e stat[oa]) )?(?:gia )?(?:scadut[oa]|terminat[oa]|conclus[oa]|chius[oa]|rimoss[oa]|eliminat[oa]|ritirat[oa]|coperta)|non (?:e piu (?:disponibile|attiv[oa]|online)|e stat[oa] trovat[oa]|e (?:stat[oa] )?trovat[oa]|trovat[oa]|esiste(?: (?:piu|ancora))?)",
  ),
  "(?:l'|quest')?(?:annuncio|offerta(?: di lavoro)?|inserzione) non piu (?:disponibile|attiv[oa]|online)",
  // Portuguese
  "(?:(?:a|esta|essa|o|este) )?(?:pagina|artigo|documento|arquivo|ficheiro|produto|video|conteudo)(?: (?:solicitad|procurad|requisitad)[ao]| que (?:voce )?(?:procura|esta procurando|solicitou))? (?:nao (?:foi |pode ser |esta )?(?:encontrad[ao]|localizad[ao]|existe(?: mais)?|mais disponivel)|ja nao esta disponivel|inexistente)",
  "nao (?:encontramos|conseguimos encontrar|foi possivel encontrar|foi encontrada) (?:a|esta|essa) pagina(?: (?:solicitada|que .{1,25}))?",
  about(
    "a|esta|essa|o|este|esse|desculpe,?",
    "anuncio|oferta(?: de emprego)?|vaga|emprego|(?:leilao|imovel|propriedade|link|topico|revisao|nota|publicacao|usuario|utilizador|membro|perfil|mensagem|arquivo|ficheiro|produto|artigo|forum|comentario|grupo)(?: (?:solicitad|especificad|procurad|selecionad|indicad)[oa])?",
    "(?:(?:ja )?(?:expirou|terminou|encerrou|foi (?:encerrad[oa]|removid[oa]|excluid[oa]|preenchid[oa]|retirad[oa]))|(?:esta )?(?:expirad[oa]|encerrad[oa])|(?:ja )?nao (?:existe(?: (?:mais|ainda))?|(?:foi )?encontrad[oa])|ja nao esta (?:disponivel|ativ[oa])|nao (?:esta )?mais (?:disponivel|ativ[oa]))",
  ),
  // Dutch
  "(?:(?:de|deze|het|dit) )?(?:(?:opgevraagde|gevraagde|gezochte) )?(?:web)?(?:pagina|bestand|artikel|document|product|video)(?: die (?:u|je) (?:zoekt|zocht))? (?:(?:is|werd|kan|kon) )?(?:helaas )?(?:niet (?:meer )?(?:gevonden(?: worden)?|worden gevonden)|niet meer beschikbaar)",
  "(?:(?:de|deze) )?(?:opgevraagde |gevraagde )?pagina bestaat (?:helaas )?niet(?: meer)?",
  "(?:we|wij) (?:kunnen|konden) (?:de|deze) pagina niet vinden",
  about(
    "de|deze|het|dit|helaas|uw|opgevraagde|gevraagde|gezochte|gekozen|opgegeven",
    "advertentie|vacature|aanbieding|aanbod|veiling|woning|object|link|onderwerp|topic|discussie|revisie|versie|notitie|baan|gebruiker|lid|profiel|bericht|bestand|product|artikel|forum|reactie|groep",
    "(?:(?:is|werd) )?(?:helaas |al |inmiddels )?(?:verlopen|beeindigd|afgelopen|gesloten|vervuld|ingevuld|verwijderd|offline gehaald|niet meer (?:beschikbaar|actief|online)|niet (?:meer )?gevonden)|bestaat (?:helaas |nog )?niet(?: meer)?",
  ),
  // Polish
  "nie (?:znaleziono|odnaleziono|znalezlismy|mozna znalezc|mozemy znalezc) (?:(?:takiej|tej|podanej|zadanej|szukanej) )?(?:strony|pliku|artykulu|dokumentu|produktu)",
  "(?:(?:podana|zadana|szukana|ta|wybrana) )?strona (?:(?:nie )?zostala (?:usunieta|znaleziona)|nie (?:istnieje|znaleziona|odnaleziona)|nie zostala (?:znaleziona|odnaleziona))",
  about(
    "to|ta|ten|twoje|podan[yae]|zadan[yae]|wybran[yae]|szukan[yae]|niestety,?|przepraszamy,?",
    "ogłoszenie|ogloszenie|oferta(?: pracy)?|aukcja|licytacja|nieruchomosc|link|odnosnik|temat|watek|wersja|notatka|stanowisko|praca|uzytkownik|profil|post|wiadomosc|plik|produkt|artykul|forum|komentarz|grupa",
    "(?:(?:jest|zostal[oa]?|jest juz|zostal[oa]? juz) )?(?:juz )?(?:wygasl[oaey]?|zakonczon[aey]|zakonczyl[oa]? sie|nieaktualn[aey]|nieaktywn[aey]|usuniet[aey]|obsadzon[aey]|archiwaln[aey])|(?:juz nie jest|nie jest juz) (?:dostepn[aey]|aktualn[aey]|aktywn[aey])|(?:juz )?nie (?:istnieje|zostal[oa]? (?:odnalezion|znalezion)[aey])|stracil[oa]? waznosc",
  ),
  "nie (?:znaleziono|odnaleziono|ma) (?:takiego |tego |podanego |takiej )?(?:ogloszenia|oferty|aukcji|tematu|watku|odnosnika|stanowiska)",
  "strony nie (?:znaleziono|odnaleziono)",
  "nie ma takiej strony",
  "nie znaleziono",
  // Russian
  "(?:(?:запрашиваемая|запрошенная|искомая|данная|эта|такая|указанная) )?(?:вами )?(?:веб-)?страница(?:,? котор\\S{2,4} вы .{1,25}?,?)? (?:не (?:была )?(?:найдена|существует|обнаружена)|удалена(?: или не существует)?|больше не существует|отсутствует)",
  "(?:(?:запрашиваемой|запрошенной|такой|этой|данной) )?страницы (?:больше )?не существует",
  "такой страницы (?:нет|не найдено)",
  "(?:мы )?не (?:можем|смогли|удалось) найти (?:(?:эту|такую|запрашиваемую) )?страницу",
  "(?:файл|документ|товар|материал|раздел) не (?:найден|существует)",
  "(?:статья|запись|новость) не найдена",
  "ничего не найдено по этому адресу",
  about(
    "это|этот|эта|данное|данный|данная|так(?:ой|ая|ое)|запрашиваем(?:ый|ая|ое)|запрошенн(?:ый|ая|ое)|указанн(?:ый|ая|ое)|выбранн(?:ый|ая|ое)|искомое|к сожалению,?|ваше",
    "объявление|вакансия|предложение|аукцион|лот|объект|ссылка|тема|версия|заметка|запись|пользователь|участник|профиль|сообщение|пост|комментарий|файл|товар|форум|раздел|страница|статья|вопрос|группа|альбом",
    "(?:больше |уже |пока )?(?:не (?:существует|актуальн[ао]|активн[ао]|(?:был[ао]? )?найден[ао]?)|неактуальн[ао])|(?:больше |уже )(?:не ?доступн[ао])|(?:уже )?(?:был[ао]? )?(?:удал[её]н[ао]?|снят[ао]?(?: с публикации)?|завершен[ао]?|закрыт[ао]?|истек(?:л[ао])?|устарел[ао]?)|срок (?:действия )?истек",
  ),
  `(?:(?:запрошенной|запрашиваемой|указанной|выбранной|такой|этой|данной) )?(?:темы|записи|статьи|группы|ссылки) (?:больше )?не (?:существует|найдено)${OR_REMOVED}`,
  `(?:(?:запрошенного|запрашиваемого|указанного|выбранного|такого|этого|данного) )?(?:пользователя|участника|профиля|сообщения|форума|раздела|файла|товара|объявления|комментария) (?:больше )?не (?:существует|найдено)${OR_REMOVED}`,
  // Ukrainian
  "(?:(?:запитувану|таку|цю) )?сторінку не (?:знайдено|вдалося знайти)",
  "(?:(?:запитувана|така|ця) )?сторінка не (?:знайдена|існує)",
  "(?:(?:такої|цієї) )?сторінки (?:не існує|немає|не знайдено)",
  about(
    "це|цей|ця|дане|так(?:ий|а|е)|запитан(?:ий|а|е)|вказан(?:ий|а|е)|обран(?:ий|а|е)|на жаль,?",
    "оголошення|вакансія|пропозиція|аукціон|лот|посилання|тема|версія|запис|користувач|учасник|профіль|повідомлення|допис|файл|товар|форум|сторінка|група",
    "(?:більше |вже |ще )?(?:не (?:існує|активн[еа]|знайден[оеа]|актуальн[еа])|неактуальн[еа])|(?:більше |вже )не ?доступн[еа]|(?:вже )?(?:бул[оа] )?(?:видален[оеа]|знят[оеа]|завершен[оеа]|закрит[оеа])",
  ),
  // Czech
  "(?:(?:pozadovana|hledana|tato|zadana) )?(?:webova )?(?:stranka|polozka) (?:(?:nebyla|nebyl) nalezena|nenalezena|neexistuje|uz neexistuje|jiz neexistuje)",
  "(?:(?:pozadovanou|hledanou|tuto) )?stranku se (?:nam )?nepodarilo (?:najit|nalezt)",
  "(?:soubor|dokument|clanek|produkt) (?:nebyl nalezen|nenalezen|neexistuje)",
  about(
    "tento|tato|toto|pozadovan[yae]|hledan[yae]|zvolen[yae]|zadan[yae]|bohuzel,?",
    "inzerat|nabidka(?: prace)?|pracovni nabidka|aukce|drazba|nemovitost|odkaz|tema|vlakno|verze|revize|poznamka|pozice|uzivatel|clen|profil|prispevek|zprava|soubor|produkt|forum|komentar|skupina",
    "(?:(?:jiz|uz) neni|neni (?:jiz|uz)) dostupn[aye]|(?:(?:jiz|uz) )?(?:neexistuje|neni (?:jiz |uz )?(?:aktualni|aktivni|platn[yae])|(?:byl[ao]? )?(?:ukoncen[ao]?|smazan[ao]?|odstranen[ao]?|obsazen[ao]?|nenalezen[ao]?)|nebyl[ao]? nalezen[ao]?|vyprsel[ao]?|skoncil[ao]?)",
  ),
  // Swedish, Danish and Norwegian
  "(?:den )?(?:sida|sidan|artikeln|filen|dokumentet|produkten)(?: (?:som )?(?:du|ni) (?:letar efter|letade efter|sokte|soker|forsoker na))? (?:hittades (?:tyvarr )?(?:inte|ej)|(?:kunde|kan) (?:tyvarr )?(?:inte|ej) hittas|finns (?:tyvarr )?(?:inte|ej)(?: langre)?|saknas|(?:ej|inte) (?:funnen|hittad))",
  "vi (?:kunde|kan|hittade|hittar) (?:inte )?(?:hitta )?(?:inte )?sidan(?: (?:som )?du .{1,25})?",
  "(?:vi )?(?:fant|finner) (?:dessverre )?ikke siden(?: (?:som )?du .{1,25})?",
  "(?:vi )?(?:kan|kunne) (?:desvarre |dessverre )?ikke (?:finne|finde) siden(?: (?:som )?du .{1,25})?",
  "(?:siden|artiklen|artikkelen|filen|filen)(?: (?:som )?du (?:leter|leder|ledte|lette) efter| du (?:leter|lette) etter)? (?:(?:blev|ble) ikke fundet|(?:blev|ble) ikke funnet|ikke (?:fundet|funnet)|(?:findes|finnes|eksisterer) (?:desvarre |dessverre )?ikke(?: lengere| lenger)?|kunne ikke findes|kunne ikke finnes)",
  about(
    "den|denne|dette|det|denna|detta|har|tyvarr|desvarre|dessverre|annonsen?|begarda|efterfragade|angivna|valda|valgte|forespurgte|forespurte|onskede|angivne|anmodede",
    "annonsen?|annoncen?|stillingen?|tjansten|jobbet|jobannoncen|auktionen|auksjonen|boligen|bostaden|lanken|linken?|lenken|emnet?|amnet?|traden|versionen|versjonen|notatet|erbjudandet|tilbudet|tilbuddet|anvandaren|medlemmen|profilen|meddelandet|inlagget|filen|produkten|brugeren?|medlemmet|indlægget|beskeden|brukeren|innlegget|meldingen|forumet",
    "(?:(?:ar|er|har) )?(?:inte|ikke|ej) (?:langre|lengere|lengre|lenger|langere|længere) (?:tillganglig|tillgangligt|aktiv|aktivt|tilgjengelig|tilgængelig|tilgængeligt)|(?:ar|er) (?:avslutad|avslutat|avsluttet|afsluttet|utgatt|utgatt|utløpt|udløbet|utlopt|udlobet|borttagen|borttaget|fjernet|slettet|tillsatt|besat|besatt)|har (?:gatt ut|utgatt|utløpt|utlopt|upphort|avslutats)|(?:hittades|finns|findes|finnes|eksisterer|existerar) (?:tyvarr |desvarre |dessverre |annu |enda )?(?:inte|ikke|ej)(?: langre| lengere| lenger| enda)?",
  ),
  // Finnish
  `(?:(?:hakemaasi|etsimaasi|pyytamaasi|pyydettya|valittua|tata) )?(?:aihetta|keskustelua|viestiketjua|viestia|kayttajaa|jasenta|profiilia|tiedostoa|tuotetta|ilmoitusta) ei (?:ole (?:enaa )?olemassa|loytynyt|loydy)${OR_REMOVED}`,
  "(?:hakemaasi |etsimaasi )?sivua ei (?:loytynyt|loydy|ole olemassa)",
  about(
    "tama|valitettavasti|etsimasi",
    "ilmoitus|tyopaikka(?:ilmoitus)?|tarjous|huutokauppa|kohde|linkki|aihe|versio|muistiinpano",
    "(?:on )?(?:jo )?(?:paattynyt|vanhentunut|poistettu|taytetty)|ei ole enaa (?:saatavilla|voimassa|aktiivinen)|ei ole (?:enaa |viela )?olemassa|ei (?:enaa )?loydy|ei loytynyt",
  ),
  // Japanese
  "(?:(?:お探しの|ご指定の|指定された|指定した|ご?要求された|リクエストされた|該当する|アクセスしようとした|こちらの|この)\\s?)?(?:ページ|ファイル|記事|url|コンテンツ|商品)(?:は|が|を)?(?:見つかりません(?:でした)?|見つけ(?:ることができ|られ)ません(?:でした)?|みつかりません(?:でした)?|存在しません|存在しないか.{0,40}|ありません|削除され(?:ました|ています))",
  "(?:ページ|ファイル)が見つからない",
  "(?:(?:お探しの|ご指定の|指定された|要求された|この|こちらの|該当の|該当する)\\s?)?(?:広告|求人(?:情報)?|募集|オファー|出品|オークション|物件|リンク|トピック|スレッド|版|メモ|ユーザー|会員|プロフィール|投稿|メッセージ|ファイル|商品|記事|フォーラム)(?:は|が)?(?:存在しないか[、,]?(?:既に|すでに)?削除され(?:た可能性があります|ています|ました|ております)|(?:すでに|既に)?(?:終了(?:しました|しています|いたしました)|期限切れです|掲載(?:を)?終了(?:しました|いたしました)?|削除され(?:ました|ています)|締め切(?:りました|られました))|見つかりません(?:でした)?|(?:まだ)?存在しません)",
  // Chinese
  "(?:(?:您|你)?(?:所|要|想)?(?:访问|请求|查找|浏览|找|查看|打开)?的|该|此|这个)?(?:页面|网页|页|文件|内容|文章|商品|资源)(?:不存在|未找到|找不到|没有找到|没找到|不见了|已经?(?:被)?(?:删除|移除)|已不存在)(?:或.{1,15})?了?",
  "(?:找不到|未找到|没有找到|没找到|无法找到)(?:该|此|这个|相关|(?:您|你)?(?:所|要|想)?(?:访问|请求|查找|找|查看)?的)?(?:页面|网页|页|文件|内容|文章)(?:了)?",
  "(?:(?:您|你)?(?:所|要|想)?(?:訪問|造訪|請求|查詢|瀏覽|找|查看|尋找)?的|該|此|這個)?(?:頁面|網頁|檔案|內容|文章|商品)(?:不存在|未找到|找不到|沒有找到|不見了|已(?:被)?(?:刪除|移除)|已不存在)(?:或.{1,15})?了?",
  "(?:找不到|未找到|沒有找到|無法找到|查無)(?:該|此|這個|(?:您|你)?(?:所|要|想)?(?:訪問|造訪|請求|查詢|瀏覽|找|查看|尋找)?的)?(?:頁面|網頁|頁|檔案|內容|文章)",
  "(?:(?:抱歉|对不起|對不起)[，,]?)?(?:(?:该|此|这个|(?:您|你)?(?:所)?(?:访问|查看|要找|请求|指定)的|該|這個|(?:您|你)?(?:所)?(?:訪問|請求)的)?)(?:广告|廣告|职位|職位|招聘|工作|优惠|優惠|拍卖|拍賣|房源|物业|物業|链接|連結|鏈接|主题|主題|帖子|话题|話題|版本|修订|笔记|筆記|贴子|主题帖|用户|用戶|会员|會員|文件|檔案|商品|产品|產品|个人资料|個人資料)(?:\\s?#?\\d{1,15}\\s?)?(?:已(?:经|經)?(?:结束|結束|过期|過期|失效|下架|下线|下線|招满|招滿|关闭|關閉|删除|刪除|被删除|被刪除)|(?:尚|还|還|已)?不存在(?:[，,]?或(?:者)?(?:已(?:经|經)?)?(?:被)?(?:删除|刪除|移除)(?:或(?:者)?正在被?(?:审核|審核))?)?|找不到)",
  // Korean
  "(?:(?:요청하신|요청한|찾으시는|찾고 계신|찾는|해당|이|원하시는) )?(?:페이지|문서|파일|게시물|콘텐츠)(?:를|을|가|이|는|은)? ?(?:찾을 ?수 ?(?:가 )?(?:없습니다|없음|없어요|없네요|없는 페이지)|존재하지 ?않(?:습니다|아요|음)|없습니다|삭제되었습니다)",
  "(?:(?:해당|이|요청하신|찾으시는) )?(?:광고|채용(?: ?공고)?|공고|제안|경매|매물|링크|주제|스레드|토픽|버전|판|메모|사용자|회원|게시글|글|파일|상품|프로필)(?:가|이|은|는)? ?(?:이미 )?(?:종료되었습니다|마감되었습니다|만료되었습니다|삭제되었습니다|(?:더 ?이상 |아직 )?존재하지 ?않습니다|찾을 ?수 ?없습니다)",
  "존재하지 ?않(?:는|거나 (?:이미 )?삭제된) (?:페이지|문서|게시물|게시글|글|주제|토픽|상품|회원|사용자|파일|프로필)(?:입니다|예요|이에요)?",
  // Turkish
  "(?:(?:aradiginiz|istenen|istediginiz|bu|ilgili|boyle bir) )?(?:web )?(?:sayfa|dosya|icerik|makale|urun)(?:yi|si)? (?:bulunamadi|bulunamiyor|mevcut degil(?:dir)?|yok|artik mevcut degil)",
  "aradiginiz sayfa(?:yi)? (?:bulamadik|bulunmuyor|bulunmamaktadir)",
  about(
    "bu|aradiginiz|ilgili|istenen|istenilen|belirtilen|secilen|talep edilen|maalesef",
    "ilan|is ilani|teklif|acik artirma|muzayede|mulk|emlak|baglanti|link|konu|baslik|surum|not|pozisyon|kullanici|uye|profil|mesaj|dosya|urun|forum|grup",
    "(?:artik |henuz )?(?:yayinda degil(?:dir)?|mevcut degil(?:dir)?|aktif degil(?:dir)?|yok|bulunamadi|bulunmuyor)|(?:sona erdi|sona ermistir|suresi (?:doldu|dolmustur)|silindi|silinmistir|kapandi|kapatildi|kaldirildi|yayindan kaldirildi(?:r)?)|yayindan kaldirilmistir",
  ),
  // Hungarian
  "(?:az? )?(?:keresett |kert |megadott )?(?:oldal|lap|cikk|dokumentum|fajl|tartalom|termek) (?:nem (?:talalhato|letezik)|mar nem (?:letezik|elerheto))",
  "nem talalhato (?:az? )?(?:keresett |kert )?(?:oldal|lap)",
  about(
    "az?|ez|a?|keresett|kert|megadott|kivalasztott|sajnos",
    "hirdetes|allas(?:hirdetes)?|allasajanlat|ajanlat|arveres|aukcio|ingatlan|link|tema|valtozat|jegyzet|felhasznalo|tag|profil|uzenet|hozzaszolas|fajl|termek|forum|csoport",
    "(?:mar )?(?:lejart|megszunt|betoltott(?:ek)?|betoltve|torolve|inaktiv)|(?:mar |meg )?nem (?:letezik|talalhato)|mar nem (?:elerheto|aktiv|aktualis)|torlesre kerult",
  ),
  // Romanian
  "(?:aceasta )?pagina(?: (?:solicitata|cautata|ceruta|pe care o (?:cautati|cauti)))? (?:nu (?:a fost gasita|(?:mai )?exista|poate fi gasita)|inexistenta)",
  "nu am gasit pagina(?: (?:solicitata|cautata|ceruta))?",
  about(
    "acest|aceasta|ne pare rau,?",
    "anunt(?:ul)?|oferta|ofert[ae](?: de munca)?|jobul|locul de munca|licitatia|licitatie|proprietatea|proprietate|(?:linkul|link|subiectul|subiect|revizia|versiunea|nota|utilizatorul|membrul|profilul|mesajul|fisierul|produsul|articolul|forumul|grupul)(?: (?:solicitat|cerut|specificat|cautat|selectat)a?)?",
    "(?:a expirat|a fost (?:stears?a?|eliminata?|ocupata?|retrasa?|dezactivata?)|s-a (?:incheiat|terminat)|nu (?:mai (?:exista|este (?:disponibila?|activa?|valabila?))|exista(?: inca)?|a fost gasita?))",
  ),
  // Catalan
  "no s'ha (?:trobat|pogut trobar) (?:la|aquesta) pagina(?: .{1,25})?",
  "(?:(?:la|aquesta) )?pagina(?: que (?:busques|cerques|cerqueu))? (?:no trobada|no existeix)",
  // Slovak
  "(?:(?:pozadovana|hladana|tato) )?stranka (?:sa nenasla|nebola najdena|nenajdena)",
  "(?:(?:pozadovanu|hladanu|tuto) )?stranku sa nepodarilo najst",
  // Slovene
  "(?:(?:iskana|zahtevana|ta) )?stran (?:ni (?:bila )?najdena|ne obstaja(?: vec)?)",
  "(?:(?:iskane|zahtevane|te) )?strani ni (?:mogoce|bilo mogoce) najti",
  // Croatian, Bosnian and Serbian, in both scripts
  "(?:(?:trazena|ova) )?stran(?:ic)?a(?: koju .{1,20})? (?:nije (?:pronađena|pronadena|nađena)|ne postoji)",
  "(?:(?:тражена|ова) )?стран(?:иц)?а(?: коју .{1,20})? (?:није (?:пронађена|нађена)|не постоји)",
  // Bulgarian
  "(?:(?:търсената|исканата|тази) (?:от вас )?)?страница(?:та)?(?:,? която .{1,20}?,?)? не (?:е намерена|беше намерена|съществува)",
  about(
    "тази|този|това|търсен(?:ата|ият|ото)|исканата|избран(?:ата|ият|ото)|посочен(?:ата|ият|ото)",
    "тема(?:та)?|обява(?:та)?|потребител(?:ят)?|член(?:ът)?|профил(?:ът)?|мнение(?:то)?|съобщение(?:то)?|файл(?:ът)?|продукт(?:ът)?|форум(?:ът)?",
    "(?:вече )?не (?:съществува|(?:е|беше) намерен[ао]?)|(?:е|беше) (?:изтрит[ао]?|премахнат[ао]?)",
  ),
  about(
    "η|το|ο|αυτος ο|το ζητουμενο|ο ζητουμενος|αυτη η|αυτο το|η ζητουμενη|λυπουμαστε,?",
    "αγγελια|θεση(?: εργασιας)?|προσφορα|δημοπρασια|ακινητο|συνδεσμος|θεμα|εκδοση|σημειωση|χρηστης|μελος|προφιλ|μηνυμα|αρχειο|προιον(?:τος)?",
    "(?:εχει )?(?:ηδη )?(?:ληξει|εληξε|ολοκληρωθηκε|ολοκληρωθει|διαγραφηκε|διαγραφει|καλυφθηκε|καλυφθει)|δεν (?:ειναι (?:πλεον|πια) (?:διαθεσιμ[οη]|ενεργ[οη])|υπαρχει(?: (?:πλεον|πια|ακομα))?|βρεθηκε)",
  ),
  // Lithuanian, Latvian and Estonian
  "puslapis(?: kurio ieskote)? (?:nerastas|neegzistuoja)",
  "(?:mekleta )?lapa (?:nav atrasta|neeksiste)",
  "(?:otsitud |soovitud )?(?:lehte|lehekulge) ei (?:leitud|leidu|ole olemas)",
  // Basque
  "(?:orria|orrialdea) ez da (?:aurkitu|existitzen)",
  // Greek
  "(?:η )?(?:ιστο)?σελιδα(?: που (?:ζητησατε|ψαχνετε|αναζητατε|αναζητησατε|ζητατε))? δεν (?:βρεθηκε|υπαρχει)(?: πια)?",
  // Arabic
  "(?:هذه )?الصفحة(?: (?:المطلوبة|التي (?:تبحث عنها|طلبتها|تحاول الوصول إليها)))? (?:غير موجودة|لم يتم العثور عليها|لا توجد)",
  "لم يتم العثور على (?:هذه )?(?:ال)?صفحة(?: المطلوبة)?",
  "(?:انتهت صلاحية |انتهى )(?:هذا |هذه )?(?:الإعلان|العرض|المزاد|الرابط)",
  "(?:هذا |هذه )?(?:الإعلان|العرض|الوظيفة|المزاد|العقار|الرابط|الموضوع|الملاحظة|المستخدم|العضو|الملف|المنتج|المشاركة|المنتدى)(?: (?:المطلوب|المطلوبة))?(?: رقم \\d{1,15})? (?:انتهى|انتهت(?: صلاحيت(?:ه|ها))?|لم يعد (?:متاحا|موجودا|متوفرا)|لم تعد (?:متاحة|متوفرة)|غير (?:موجود|موجودة)(?: أو (?:تم )?(?:حذفه|حذفها|محذوف|محذوفة))?|تم حذفه|تم حذفها)",
  // Hebrew
  "(?:הדף|העמוד)(?: (?:המבוקש|שחיפשתם|שחיפשת|שביקשת))? (?:לא (?:נמצא|קיים)|אינו קיים)",
  "(?:דף|עמוד) לא נמצא",
  "(?:המודעה|המשרה|ההצעה|המכירה|הנכס|הקישור|הנושא|הגרסה|ההערה|המשתמש|החבר|הפרופיל|הקובץ|המוצר|הפוסט|ההודעה|האשכול)(?: (?:מספר )?\\d{1,15})? (?:כבר )?(?:לא (?:קיים|קיימת|נמצא|נמצאה)|אינו קיים|אינה קיימת|פג תוקפ(?:ו|ה)|הסתיים|הסתיימה|הוסר|הוסרה|נמחק|נמחקה|אוישה)(?: (?:יותר|עדיין))?(?: או (?:ש)?(?:הוסר|הוסרה|נמחק|נמחקה))?",
  // Persian
  "(?:صفحه|صفحه‌ی|برگه)(?: مورد نظر(?: شما)?| درخواستی)? (?:یافت نشد|پیدا نشد|وجود ندارد)",
  "(?:این )?(?:آگهی|شغل|پیشنهاد|حراج|مزایده|ملک|لینک|پیوند|موضوع|تاپیک)(?: مورد نظر)? (?:منقضی شده است|به پایان رسیده است|حذف شده است|دیگر (?:موجود|فعال|در دسترس) نیست|یافت نشد|وجود ندارد)",
  // Hindi
  "(?:यह )?(?:पृष्ठ|पेज) (?:नहीं मिला|मौजूद नहीं है)",
  "(?:यह )?(?:विज्ञापन|नौकरी|ऑफ़र|ऑफर|नीलामी|संपत्ति|लिंक|विषय) (?:समाप्त हो (?:गया|गई|चुका|चुकी) है|अब उपलब्ध नहीं है|मौजूद नहीं है|नहीं मिला|नहीं मिली|हटा (?:दिया|दी) (?:गया|गई) है)",
  // Thai
  "ไม่พบหน้า(?:เว็บ)?(?:นี้|ที่.{1,25})?",
  "(?:ประกาศ|งาน|ตำแหน่งงาน|ข้อเสนอ|การประมูล|ลิงก์|ลิงค์|กระทู้|หัวข้อ|ผู้ใช้|สมาชิก|ไฟล์|สินค้า)(?:นี้)?(?:หมดอายุแล้ว|สิ้นสุดแล้ว|ปิดแล้ว|ปิดรับสมัครแล้ว|ถูกลบแล้ว|ถูกลบ|ไม่มีอยู่|ไม่พบ)",
  "ไม่พบ(?:ประกาศ|งาน|ลิงก์|ลิงค์|กระทู้|หัวข้อ)(?:นี้|ที่.{1,25})?",
  // Vietnamese
  "khong (?:tim thay|the tim thay|ton tai) trang(?: web)?(?: nay| ban .{1,20}| yeu cau)?",
  "trang(?: web)?(?: nay| ban (?:yeu cau|dang tim(?: kiem)?|tim(?: kiem)?))? khong (?:ton tai|tim thay|đuoc tim thay)",
  "(?:tin(?: đang| rao| tuyen dung)?|viec lam|uu đai|phien đau gia|bat đong san|lien ket|chu đe|bai đang|ghi chu|thanh vien|nguoi dung|bai viet|tap tin|tep(?: tin)?|san pham)(?: nay| (?:duoc|đuoc) yeu cau| ban .{1,20}?)? (?:đa (?:het han|ket thuc|bi xoa|bi go|đuoc tuyen|đong)|khong (?:con )?ton tai|khong con (?:kha dung|hieu luc|hoat đong)|khong tim thay)(?: nua)?(?: hoac (?:đa )?bi xoa)?",
  // Malay and Indonesian
  "(?:halaman|laman)(?: (?:ini|yang (?:anda|kamu) (?:cari|minta|tuju)))? (?:tidak (?:ditemukan|dijumpai|ada|wujud)|tidak dapat (?:ditemukan|dijumpai))",
  "(?:iklan|lowongan(?: kerja)?|jawatan|tawaran|penawaran|lelang|lelongan|properti|hartanah|tautan|pautan|topik|catatan|pengguna|anggota|ahli|profil|pesan|berkas|fail|produk|kiriman|forum)(?: (?:ini|tersebut|yang (?:anda|kamu) cari))? (?:(?:telah|sudah) (?:berakhir|kedaluwarsa|kadaluarsa|tamat(?: tempoh)?|dihapus|dipadam|terisi|diisi|ditutup)|(?:sudah tidak|tidak lagi) (?:tersedia|aktif)|tidak (?:tersedia|aktif) lagi|(?:sudah )?tidak (?:wujud|ada|ditemukan|dijumpai)(?: lagi)?)(?: atau (?:telah|sudah) (?:dihapus|dipadam))?",
  // Wikis say of all pages that they do not exist yet.
  "cette page n'existe pas encore",
  "(?:esta pagina|este tema) (?:todavia no existe|aun no existe|no existe (?:todavia|aun))",
  "(?:questa pagina|questo argomento) (?:non esiste ancora|ancora non esiste)",
  "(?:esta pagina|este topico) (?:ainda nao existe|nao existe ainda)",
  "(?:deze pagina|dit onderwerp) bestaat nog niet",
  "(?:ta strona|ten temat) jeszcze nie istnieje",
  "(?:эта|такая) (?:страница|тема) (?:ещё|еще|пока) не (?:существует|создана)",
  "(?:ця сторінка|ця тема) (?:ще|поки що) не існує",
  "(?:tato )?stranka(?: s timto nazvem)? (?:jeste|zatim|zatial) neexistuje",
  "(?:den har sidan|detta amne|denne side(?:n)?|dette emne(?:t)?) (?:finns|findes|finnes|eksisterer) (?:inte|ikke) (?:an|annu|enda|endnu|ennå|enna)",
  "(?:tata )?(?:sivua|aihetta) ei ole viela(?: olemassa)?",
  "(?:この)?(?:ページ|トピック)は(?:まだ)?(?:存在しません|作成されていません)",
  "(?:该|此|这个|這個)?(?:页面|主题|頁面|主題)(?:尚未|尚不|还不|還不|还没有|還沒有)(?:存在|创建|建立)",
  "(?:이 )?(?:문서|주제|페이지)(?:가|는|은)? 아직 (?:없습니다|존재하지 않습니다)",
  "(?:bu )?(?:sayfa|baslik) henuz (?:yok|mevcut degil|olusturulmamis)",
  "(?:ez a )?(?:tema|lap|oldal) meg nem letezik",
];

/**
 * Regular expressions for a whole line that says there is no such page. Brief ones do not say what is missing,
 * and are also the names of songs and films. Hints are also said of pages that are locked or temporarily away.
 */
export const MISSING_PHRASES = {
  clear: CLEAR,
  brief: [
    "not[ _]found",
    "missing page",
    "page missing",
    "nicht gefunden",
    "non trouvee?",
    "introuvable",
    "no encontrad[ao]",
    "non trovat[ao]",
    "nao encontrad[ao]",
    "niet gevonden",
    "не найден[ао]?",
    "не знайдено",
    "nenalezeno",
    "bulunamadi",
    "見つかりません(?:でした)?",
  ],
  hint: [
    "(?:this |the )?(?:page|video|product|item|content) (?:is |is currently )?(?:not available|isn't available|unavailable)(?: right now| any ?more)?",
    "(?:die|diese) seite ist (?:derzeit |zurzeit )?nicht erreichbar",
    "(?:(?:die|diese|das|dieses|der|dieser) )?(?:web)?(?:seite|datei|artikel|dokument|inhalt|produkt|video|beitrag) (?:ist )?(?:leider |derzeit |zurzeit )?nicht (?:verfugbar|erreichbar)",
    "(?:(?:la|cette|le|ce|cet|l')\\s?)?(?:page(?: web)?|article|document|fichier|produit|video|contenu|ressource) (?:n'est pas|non) disponible",
    "(?:(?:la|esta|el|este) )?(?:pagina(?: web)?|articulo|documento|archivo|producto|video|contenido|recurso) no (?:esta )?disponible",
    "(?:(?:la|questa|il|questo|l')\\s?)?(?:pagina|articolo|documento|file|prodotto|video|contenuto|risorsa) non (?:e )?disponibile",
    "(?:(?:a|esta|essa|o|este) )?(?:pagina|artigo|documento|arquivo|ficheiro|produto|video|conteudo) nao (?:esta )?disponivel",
    "(?:(?:de|deze|het|dit) )?(?:web)?(?:pagina|bestand|artikel|document|product|video) (?:is )?(?:helaas )?niet beschikbaar",
    "(?:(?:この|こちらの)\\s?)?(?:ページ|コンテンツ)(?:は|を)?表示できません(?:でした)?",
    "this (?:page|content|link) (?:is |may be )?broken",
    "nothing (?:was )?found",
  ],
};
