const THING =
  "(?:web ?page|page|file(?: or directory)?|document|article|product|video|item|resource|(?:web ?)?site|content|post|story|entry|listing|job(?: posting| ad)?|topic|thread|profile|user|object|url|image|photo|event|recipe|record|project|blog|account|channel|album|gallery|group|repository|vacancy|position|offer|deployment)";
const GONE =
  "(?:(?:(?:was|is) )?not (?:be )?found|(?:was|is)n't found|(?:could not|couldn't|cannot|can't|can not) be (?:found|located)|(?:is )?no longer (?:available|active|exists?)|(?:does not|doesn't|did not|didn't) (?:seem to |appear to )?exist|(?:has been|was) (?:moved,? )?(?:or )?(?:removed|deleted)(?:,? or (?:moved|removed|deleted))?)";
const SEEK =
  "(?:can't|cannot|can not|could not|couldn't|(?:are |were )?unable to) (?:seem to )?(?:find|locate)";
const MORE =
  "(?: (?:any ?more|here|on this (?:server|site|page)|(?:that )?(?:you|we|at|on)\\b.{0,40}))?";

const CLEAR = [
  // English
  `(?:(?:the|this|that|your|requested) ){0,3}${THING}(?: (?:that )?(?:you|we)\\b.{1,40}?)? ${GONE}${MORE}`,
  `the requested (?:url|page|resource|file|document|object)(?: /\\S*)? (?:was|could) not (?:be )?found${MORE}`,
  `(?:we |i )?${SEEK} (?:(?:the|that|this|your|any|requested) ){0,3}${THING}${MORE}`,
  "(?:page|resource) not[ _]found",
  "invalid (?:thread|post|forum|topic|page|user) specified",
  'the server returned a "?404 not found"?',
  "cannot (?:get|post) /\\S{0,100}",
  "there is currently no text in this page",
  "no such (?:page|file|document|url)",
  "missing page",
  "(?:(?:the|this|that) )?(?:page|file|document) is (?:missing|gone)",
  "page missing",
  "nothing (?:was )?found (?:here|at this (?:location|address|url))",
  "(?:that|this)(?:'s| is) (?:an error|a 404)",
  "there (?:isn't|is not|is no|is nothing) (?:a )?(?:github pages site |such page )?(?:here|at this (?:address|url|location))?",
  // The other languages are written as `folded` returns them: lower case, Latin letters without marks.
  // German
  "(?:(?:die|diese|das|dieses|der|dieser|den) )?(?:von ihnen )?(?:(?:angeforderte|aufgerufene|gesuchte|gewunschte)[snr]? )?(?:web|internet)?(?:seite|site|datei|artikel|dokument|inhalt|produkt|video|beitrag|url)(?:,? die (?:sie|du) .{1,30}?,?)? (?:(?:wurde|konnte|kann|ist) )?(?:leider )?(?:nicht (?:mehr )?(?:gefunden(?: werden)?|vorhanden|auffindbar)|nicht mehr verfugbar)",
  "(?:(?:die|diese|das|dieses|der|dieser) )?(?:angeforderte |gesuchte )?(?:seite|datei|artikel|dokument|url) existiert (?:leider )?nicht(?: mehr)?",
  "diese (?:seite|url) gibt es (?:leider )?nicht(?: mehr)?",
  "(?:wir|ich) (?:konnten|konnen|kann) (?:die|diese) (?:gesuchte )?seite (?:leider )?nicht finden",
  // French
  "(?:(?:la|cette|votre|le|ce|cet|l')\\s?)?(?:page(?: web)?|article|document|fichier|produit|video|contenu|ressource)(?: (?:demande|recherche)e?| que vous (?:cherchez|recherchez|demandez|avez demandee?))? (?:est )?(?:introuvable|non trouvee?|inexistante?|inconnue?|n'existe (?:pas|plus)|n'a pas (?:ete |pu etre )trouvee?|n'est plus disponible)",
  "(?:la )?page non existante",
  // Spanish
  "(?:(?:la|esta|el|este) )?(?:pagina(?: web)?|articulo|documento|archivo|producto|video|contenido|recurso)(?: (?:solicitad[ao]|que (?:buscas?|esta(?:s)? buscando|ha solicitado)))? (?:no (?:fue |ha sido |pudo ser |se ha |se |esta )?(?:encontrad[ao]|encuentra|encontro|pudo encontrar|existe)|ya no (?:existe|esta disponible)|inexistente)",
  "no (?:se (?:ha encontrado|encontro|encuentra|puede encontrar|pudo encontrar)|encontramos|hemos encontrado|podemos encontrar|pudimos encontrar) (?:la|esta|esa) pagina(?: (?:solicitada|que .{1,25}))?",
  // Italian
  "(?:(?:la|questa|il|questo|l')\\s?)?(?:pagina|articolo|documento|file|prodotto|video|contenuto|risorsa)(?: (?:richiest|cercat)[ao]| che (?:stai cercando|cerchi|hai richiesto))? (?:non (?:e stat[ao] |e )?(?:trovat[ao]|piu disponibile|esiste(?: piu)?|presente)|inesistente)",
  "(?:impossibile trovare|non (?:abbiamo trovato|troviamo)) la pagina(?: (?:richiesta|cercata|che .{1,25}))?",
  // Portuguese
  "(?:(?:a|esta|essa|o|este) )?(?:pagina|artigo|documento|arquivo|ficheiro|produto|video|conteudo)(?: (?:solicitad|procurad|requisitad)[ao]| que (?:voce )?(?:procura|esta procurando|solicitou))? (?:nao (?:foi |pode ser |esta )?(?:encontrad[ao]|localizad[ao]|existe(?: mais)?|mais disponivel)|ja nao esta disponivel|inexistente)",
  "nao (?:encontramos|conseguimos encontrar|foi possivel encontrar|foi encontrada) (?:a|esta|essa) pagina(?: (?:solicitada|que .{1,25}))?",
  // Dutch
  "(?:(?:de|deze|het|dit) )?(?:(?:opgevraagde|gevraagde|gezochte) )?(?:web)?(?:pagina|bestand|artikel|document|product|video)(?: die (?:u|je) (?:zoekt|zocht))? (?:(?:is|werd|kan|kon) )?(?:helaas )?(?:niet (?:meer )?(?:gevonden(?: worden)?|worden gevonden)|niet meer beschikbaar)",
  "(?:(?:de|deze) )?(?:opgevraagde |gevraagde )?pagina bestaat (?:helaas )?niet(?: meer)?",
  "(?:we|wij) (?:kunnen|konden) (?:de|deze) pagina niet vinden",
  // Polish
  "nie (?:znaleziono|odnaleziono|znalezlismy|mozna znalezc|mozemy znalezc) (?:(?:takiej|tej|podanej|zadanej|szukanej) )?(?:strony|pliku|artykulu|dokumentu|produktu)",
  "(?:(?:podana|zadana|szukana|ta|wybrana) )?strona (?:(?:nie )?zostala (?:usunieta|znaleziona)|nie (?:istnieje|znaleziona|odnaleziona)|nie zostala (?:znaleziona|odnaleziona))",
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
  // Ukrainian
  "(?:(?:запитувану|таку|цю) )?сторінку не (?:знайдено|вдалося знайти)",
  "(?:(?:запитувана|така|ця) )?сторінка не (?:знайдена|існує)",
  "(?:(?:такої|цієї) )?сторінки (?:не існує|немає|не знайдено)",
  // Czech
  "(?:(?:pozadovana|hledana|tato|zadana) )?(?:webova )?(?:stranka|polozka) (?:(?:nebyla|nebyl) nalezena|nenalezena|neexistuje|uz neexistuje|jiz neexistuje)",
  "(?:(?:pozadovanou|hledanou|tuto) )?stranku se (?:nam )?nepodarilo (?:najit|nalezt)",
  "(?:soubor|dokument|clanek|produkt) (?:nebyl nalezen|nenalezen|neexistuje)",
  // Swedish, Danish and Norwegian
  "(?:den )?(?:sida|sidan|artikeln|filen|dokumentet|produkten)(?: (?:som )?(?:du|ni) (?:letar efter|letade efter|sokte|soker|forsoker na))? (?:hittades (?:tyvarr )?(?:inte|ej)|(?:kunde|kan) (?:tyvarr )?(?:inte|ej) hittas|finns (?:tyvarr )?(?:inte|ej)(?: langre)?|saknas|(?:ej|inte) (?:funnen|hittad))",
  "vi (?:kunde|kan|hittade|hittar) (?:inte )?(?:hitta )?(?:inte )?sidan(?: (?:som )?du .{1,25})?",
  "(?:vi )?(?:fant|finner) (?:dessverre )?ikke siden(?: (?:som )?du .{1,25})?",
  "(?:vi )?(?:kan|kunne) (?:desvarre |dessverre )?ikke (?:finne|finde) siden(?: (?:som )?du .{1,25})?",
  "(?:siden|artiklen|artikkelen|filen|filen)(?: (?:som )?du (?:leter|leder|ledte|lette) efter| du (?:leter|lette) etter)? (?:(?:blev|ble) ikke fundet|(?:blev|ble) ikke funnet|ikke (?:fundet|funnet)|(?:findes|finnes|eksisterer) (?:desvarre |dessverre )?ikke(?: lengere| lenger)?|kunne ikke findes|kunne ikke finnes)",
  // Finnish
  "(?:hakemaasi |etsimaasi )?sivua ei (?:loytynyt|loydy|ole olemassa)",
  // Japanese
  "(?:(?:お探しの|ご指定の|指定された|指定した|ご?要求された|リクエストされた|該当する|アクセスしようとした|こちらの|この)\\s?)?(?:ページ|ファイル|記事|url|コンテンツ|商品)(?:は|が|を)?(?:見つかりません(?:でした)?|見つけ(?:ることができ|られ)ません(?:でした)?|みつかりません(?:でした)?|存在しません|存在しないか.{0,40}|ありません|削除され(?:ました|ています))",
  "(?:ページ|ファイル)が見つからない",
  // Chinese
  "(?:(?:您|你)?(?:所|要|想)?(?:访问|请求|查找|浏览|找|查看|打开)?的|该|此|这个)?(?:页面|网页|页|文件|内容|文章|商品|资源)(?:不存在|未找到|找不到|没有找到|没找到|不见了|已经?(?:被)?(?:删除|移除)|已不存在)(?:或.{1,15})?了?",
  "(?:找不到|未找到|没有找到|没找到|无法找到)(?:该|此|这个|相关|(?:您|你)?(?:所|要|想)?(?:访问|请求|查找|找|查看)?的)?(?:页面|网页|页|文件|内容|文章)(?:了)?",
  "(?:(?:您|你)?(?:所|要|想)?(?:訪問|造訪|請求|查詢|瀏覽|找|查看|尋找)?的|該|此|這個)?(?:頁面|網頁|檔案|內容|文章|商品)(?:不存在|未找到|找不到|沒有找到|不見了|已(?:被)?(?:刪除|移除)|已不存在)(?:或.{1,15})?了?",
  "(?:找不到|未找到|沒有找到|無法找到|查無)(?:該|此|這個|(?:您|你)?(?:所|要|想)?(?:訪問|造訪|請求|查詢|瀏覽|找|查看|尋找)?的)?(?:頁面|網頁|頁|檔案|內容|文章)",
  // Korean
  "(?:(?:요청하신|요청한|찾으시는|찾고 계신|찾는|해당|이|원하시는) )?(?:페이지|문서|파일|게시물|콘텐츠)(?:를|을|가|이|는|은)? ?(?:찾을 ?수 ?(?:가 )?(?:없습니다|없음|없어요|없네요|없는 페이지)|존재하지 ?않(?:습니다|아요|음)|없습니다|삭제되었습니다)",
  "존재하지 ?않는 (?:페이지|문서|게시물)(?:입니다|예요|이에요)?",
  // Turkish
  "(?:(?:aradiginiz|istenen|istediginiz|bu|ilgili|boyle bir) )?(?:web )?(?:sayfa|dosya|icerik|makale|urun)(?:yi|si)? (?:bulunamadi|bulunamiyor|mevcut degil(?:dir)?|yok|artik mevcut degil)",
  "aradiginiz sayfa(?:yi)? (?:bulamadik|bulunmuyor|bulunmamaktadir)",
  // Hungarian
  "(?:az? )?(?:keresett |kert |megadott )?(?:oldal|lap|cikk|dokumentum|fajl|tartalom|termek) (?:nem (?:talalhato|letezik)|mar nem (?:letezik|elerheto))",
  "nem talalhato (?:az? )?(?:keresett |kert )?(?:oldal|lap)",
  // Romanian
  "(?:aceasta )?pagina(?: (?:solicitata|cautata|ceruta|pe care o (?:cautati|cauti)))? (?:nu (?:a fost gasita|(?:mai )?exista|poate fi gasita)|inexistenta)",
  "nu am gasit pagina(?: (?:solicitata|cautata|ceruta))?",
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
  // Hebrew
  "(?:הדף|העמוד)(?: (?:המבוקש|שחיפשתם|שחיפשת|שביקשת))? (?:לא (?:נמצא|קיים)|אינו קיים)",
  "(?:דף|עמוד) לא נמצא",
  // Persian
  "(?:صفحه|صفحه‌ی|برگه)(?: مورد نظر(?: شما)?| درخواستی)? (?:یافت نشد|پیدا نشد|وجود ندارد)",
  // Hindi
  "(?:यह )?(?:पृष्ठ|पेज) (?:नहीं मिला|मौजूद नहीं है)",
  // Thai
  "ไม่พบหน้า(?:เว็บ)?(?:นี้|ที่.{1,25})?",
  // Vietnamese
  "khong (?:tim thay|the tim thay|ton tai) trang(?: web)?(?: nay| ban .{1,20}| yeu cau)?",
  "trang(?: web)?(?: nay| ban (?:yeu cau|dang tim(?: kiem)?|tim(?: kiem)?))? khong (?:ton tai|tim thay|đuoc tim thay)",
  // Malay and Indonesian
  "(?:halaman|laman)(?: (?:ini|yang (?:anda|kamu) (?:cari|minta|tuju)))? (?:tidak (?:ditemukan|dijumpai|ada|wujud)|tidak dapat (?:ditemukan|dijumpai))",
];

/**
 * Regular expressions for a whole line that says there is no such page. Brief ones do not say what is missing,
 * and are also the names of songs and films. Hints are also said of pages that are locked or temporarily away.
 */
export const MISSING_PHRASES = {
  clear: CLEAR,
  brief: [
    "not[ _]found",
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
