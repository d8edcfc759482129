import { describe, expect, test } from "bun:test";
import {
  missingIn,
  missingInHeading,
  startsMissing,
} from "../../../server/verdict/signals/phrases.ts";

const ANYWHERE = { isSiteName: () => false, isNamed: () => false };
const read = (title: string) => missingIn(title, ANYWHERE);

describe("a title that says there is no such page:", () => {
  test.each([
    // Servers and frameworks.
    "404 Not Found",
    "404: This page could not be found.",
    "HTTP Status 404 – Not Found",
    "Error 404 (Not Found)!!1",
    "404 - File or directory not found.",
    "The resource cannot be found.",
    "Object not found!",
    "Not Found (#404)",
    "Oops! That page can’t be found.",
    "The page you were looking for doesn't exist (404)",
    "Site not found · GitHub Pages",
    // Sentences of sites.
    "File not found",
    "This page is missing",
    "PAGE NOT FOUND",
    "Error: Page Not Found",
    "Sorry, we couldn't find that page",
    "We can't find the page you're looking for.",
    "This product is no longer available",
    "This job posting is no longer available.",
    "The requested URL /some/page was not found on this server.",
    "Article has been removed",
    "Sorry, the recipe book you asked for can't be found",
    "Whoops, looks like this video doesn't exist",
    // With the name of a site.
    "Page not found | Example",
    "Page not found - Example",
    "Page not found — Example",
    "Page not found – 404 – Example",
    "Example » 404 Not Found",
    "Example :: Page not found",
    "404 | Page not found | Example",
    "Error | Page not found | Example",
    // The other languages.
    "Seite nicht gefunden",
    "Fehler 404 – Seite nicht gefunden",
    "Die angeforderte Seite konnte nicht gefunden werden.",
    "Diese Seite existiert nicht mehr",
    "Page introuvable",
    "Erreur 404 : page non trouvée",
    "La page que vous recherchez n’existe pas",
    "Página no encontrada",
    "PAGINA NO ENCONTRADA",
    "Lo sentimos, la página que buscas no existe",
    "Pagina non trovata",
    "La pagina richiesta non è stata trovata - Errore 404",
    "Página não encontrada",
    "Desculpe, não encontramos a página que você procura",
    "Pagina niet gevonden",
    "De opgevraagde pagina kan niet gevonden worden",
    "Deze pagina bestaat niet meer",
    "Nie znaleziono strony",
    "Błąd 404: strona nie została znaleziona",
    "Страница не найдена",
    "Ошибка 404. Страница не существует",
    "Запрашиваемая страница удалена или не существует",
    "Сторінку не знайдено",
    "Stránka nenalezena",
    "Požadovaná stránka nebyla nalezena",
    "Sidan hittades inte",
    "Sidan du söker finns inte längre",
    "Siden blev ikke fundet",
    "Sivua ei löytynyt",
    "ページが見つかりません",
    "お探しのページは見つかりませんでした。",
    "指定されたページは存在しないか、移動した可能性があります",
    "页面不存在",
    "抱歉，您访问的页面不存在或已删除",
    "找不到页面",
    "找不到網頁",
    "404 - 您要找的頁面不存在",
    "페이지를 찾을 수 없습니다",
    "요청하신 페이지를 찾을 수 없습니다.",
    "Sayfa bulunamadı",
    "SAYFA BULUNAMADI",
    "Aradığınız sayfa bulunamadı",
    "Az oldal nem található",
    "A keresett oldal nem található.",
    "Pagina nu a fost găsită",
    "Η σελίδα δεν βρέθηκε",
    "Η ΣΕΛΙΔΑ ΔΕΝ ΒΡΕΘΗΚΕ",
    "الصفحة غير موجودة",
    "عذراً، الصفحة المطلوبة غير موجودة",
    "הדף לא נמצא",
    "صفحه مورد نظر یافت نشد",
    "ไม่พบหน้าที่คุณต้องการ",
    "Không tìm thấy trang",
    "Trang bạn yêu cầu không tồn tại",
    "Halaman tidak ditemukan",
    "Halaman tidak dijumpai",
    "Страницата не е намерена",
    "Stranica nije pronađena",
    "Страница није пронађена",
    "Stránka sa nenašla",
    "Stran ne obstaja",
    "Puslapis nerastas",
    "Lapa nav atrasta",
    "Lehte ei leitud",
    "No s’ha trobat la pàgina",
    "Orria ez da aurkitu",
    "पृष्ठ नहीं मिला",
    "Fant ikke siden",
    "Beklager, vi finner ikke siden",
    "Vi kan ikke finde siden",
    "Oeps! Pagina niet gevonden",
    "Упс! Страница не найдена",
    "404 Not Found お探しのページが見つかりません",
    "Produkt nicht mehr verfügbar",
    "Ce produit n’est plus disponible",
    "Questo prodotto non è più disponibile",
    "404: NOT_FOUND",
    "Blog not found",
  ])("%s", (title) => {
    expect(read(title)).toBe("clear");
  });
});

describe("a title that says that a thing had its time, or is not there yet:", () => {
  test.each([
    "This ad is no longer available",
    "Job offer has expired",
    "The position has been filled",
    "Listing 12345 has expired",
    "Auction #778 has ended",
    "This property has been withdrawn",
    "This link has expired",
    "Link not found",
    "Thread 4711 not found",
    "The note does not exist anymore",
    "This topic does not exist yet",
    'The revision #99999 of the page named "Main Page" does not exist.',
    "Job ad 4711 “Baker in Hull” is no longer available",
    "This page has been taken offline",
    "Die Anzeige ist nicht mehr verfügbar",
    "Diese Auktion wurde beendet",
    "Inserat abgelaufen",
    "Stelle bereits besetzt",
    "Dieses Thema existiert noch nicht",
    "L’annonce a expiré",
    "L’offre d’emploi n’est plus en ligne",
    "Cette page n’existe pas encore",
    "El anuncio ha caducado",
    "La oferta de empleo ya no está disponible",
    "Este tema no existe todavía",
    "Annuncio scaduto",
    "L’asta è terminata",
    "Este anúncio expirou",
    "Vaga encerrada",
    "Deze vacature is vervuld",
    "Advertentie verlopen",
    "To ogłoszenie jest już nieaktualne",
    "Oferta pracy wygasła",
    "Aukcja została zakończona",
    "Объявление снято с публикации",
    "Вакансия закрыта",
    "Оголошення видалено",
    "Inzerát byl smazán",
    "Nabídka již není dostupná",
    "Annonsen är borttagen",
    "Annoncen er udløbet",
    "Stillingen er ikke lenger tilgjengelig",
    "Ilmoitus on päättynyt",
    "この求人は終了しました",
    "该职位已下架",
    "해당 채용공고가 마감되었습니다",
    "İlan yayından kaldırıldı",
    "A hirdetés lejárt",
    "Anunțul a expirat",
    "Η αγγελία έχει λήξει",
    "انتهى الإعلان",
    "המודעה כבר לא קיימת",
    "این آگهی حذف شده است",
    "यह नौकरी अब उपलब्ध नहीं है",
    "ประกาศนี้หมดอายุแล้ว",
    "Tin đăng đã hết hạn",
    "Iklan ini telah berakhir",
  ])("%s", (title) => {
    expect(read(title)).toBe("clear");
  });

  test.each([
    // A form that waited too long, an account, a fair.
    "Page expired",
    "Session expired",
    "Your account has expired",
    "This event has ended",
    "The war has ended",
    // Lists, stories and offices of the same things.
    "Expired domains for sale",
    "Ended auctions",
    "Job board: 12 new offers",
    "The offer that ended the strike",
    "How to tell that a job ad has expired",
    "Has this listing expired?",
    "Auktionen, die diese Woche enden",
    "Wenn die Anzeige abgelaufen ist: was nun",
    "Ofertas que caducan hoy",
    "Ogłoszenia, które wygasły w tym roku",
  ])("is not: %s", (title) => {
    expect(read(title)).toBeNull();
  });
});

describe("a title that other pages could have, too:", () => {
  test.each([
    "This page isn't available",
    "This content isn’t available right now",
    "Diese Seite ist leider nicht verfügbar",
    "Produkt nicht verfügbar",
    "Ce contenu n’est pas disponible",
    "Contenido no disponible",
    "Contenuto non disponibile",
    "Produto não disponível",
    "Dit product is niet beschikbaar",
    "このページは表示できません",
  ])("%s", (title) => {
    expect(read(title)).toBe("hint");
  });
});

describe("a title that may be a name:", () => {
  test.each([
    "Not found",
    "NOT_FOUND",
    "Nicht gefunden | Kino",
    "No encontrado",
    "Error 404",
    "HTTP 404",
    "404 error",
    "Fehler 404",
    "Ошибка 404",
  ])("%s", (title) => {
    expect(read(title)).toBe("brief");
  });
});

describe("a title with a number is no evidence:", () => {
  test.each([
    "404",
    "#404",
    "(404)",
    "404 | Hotel",
    "404 Lexington Avenue",
    "404 Sedan | Veteran Cars",
    "Error 404: our favourite pages",
    "HTTP 404 explained",
  ])("%s", (title) => {
    expect(read(title)).toBe("number");
  });
});

describe("a heading", () => {
  test.each([
    ["Page not found", "clear"],
    ["404 – Page not found", "clear"],
    ["Page not found – how to design one", null],
    ["Page not found | The Gazette", null],
    ["Error 404: our favourite pages", "number"],
  ] as const)("counts as a whole: %s", (heading, strength) => {
    expect(missingInHeading(heading, ANYWHERE)).toBe(strength);
  });
});

describe("a title that is about something:", () => {
  test.each([
    // Who asks does not say.
    "Page not found?",
    "Seite nicht gefunden? | Ratgeber",
    "ページが見つかりません？",
    "How to fix a 404 error",
    "404 pages we love: the best of the web, and what to learn from them for your own",
    "Peugeot 404",
    "Area code 404",
    "Page 404",
    "Code 404 | TV guide",
    "4040",
    "Lost and Not Found: a memoir",
    "Not Found Magazine | About",
    "Not found in translation",
    "Sorry We Missed You (film)",
    "Missing pages of history",
    "Event missing",
    "Product not found in stores? Here is why",
    "php - 404 not found - Questions and answers",
    "The page that could not be found: a novel in three parts",
    "Why users cannot find your page",
    "Deleted scenes",
    "Verlorene Seiten: nicht gefunden, nicht vergessen",
    "Page introuvable : comment personnaliser son erreur",
    "Cómo arreglar una página no encontrada",
    "La pagina non trovata di Leonardo da Vinci",
    "A página não encontrada de Pessoa",
    "De pagina die niet gevonden wilde worden",
    "Nie znaleziono strony dziennika Chopina",
    "Почему страница не найдена и что делать",
    "Proč se stránka nenalezena zobrazuje",
    "Sidan hittades inte förrän i går",
    "「ページが見つかりません」と表示されたときの対処法",
    "为什么会显示页面不存在",
    "페이지를 찾을 수 없습니다 오류 해결 방법",
    "Sayfa bulunamadı hatası nasıl çözülür",
    "Nem található a repülőgép",
    "Pagina nu a fost găsită de arheologi",
    "Δεν βρέθηκε το αεροπλάνο",
    "لم يتم العثور على الطائرة المفقودة",
    "लापता विमान नहीं मिला",
    "Không tìm thấy máy bay",
    "Halaman yang hilang ditemukan kembali",
    "Изгубената страница не е намерена в архива",
    "Fant ikke siden av saken",
    "Invalid thread in a screw",
    "Not found: the lost page",
    "Page not found – how to design a better one",
    "Section 404 of the act",
    "",
  ])("%s", (title) => {
    expect(read(title)).toBeNull();
  });
});

describe("the name of the site", () => {
  const isSiteName = (words: string) => /^(404 media|not found|the gazette)$/i.test(words);
  const readAt = (title: string) => missingIn(title, { ...ANYWHERE, isSiteName });

  test.each([
    ["404 Media | How the bridge was built", null],
    ["How the bridge was built - 404 Media", null],
    ["404 Media", null],
    ["About us | Not Found", null],
    ["Page not found - 404 Media", "clear"],
    ["The Gazette | Sport | Page not found", null],
    ["Page not found | Sport | The Gazette", "clear"],
  ] as const)("is no word of its pages: %s", (title, strength) => {
    expect(readAt(title)).toBe(strength);
  });
});

test("words that the link's own address says count for little", () => {
  const isNamed = (words: string) => words === "Page Not Found";

  expect(missingIn("Page Not Found | The Ladders", { ...ANYWHERE, isNamed })).toBe("hint");
  expect(missingIn("404 | Page Not Found", { ...ANYWHERE, isNamed })).toBe("clear");
});

describe("a text that begins like an error page:", () => {
  test.each([
    ["404 Page not found The page you asked for is not here.", true],
    ["Not Found The requested URL /x was not found on this server.", true],
    ["Oops! That page can’t be found. It looks like nothing was found at this location.", true],
    ["お探しのページは見つかりませんでした。 トップページへ", true],
    ["Страница не найдена Перейти на главную", true],
    ["4040 reasons to visit", false],
    ["Home News About us Page not found", false],
    ["ไม่พบหน้านี้ กลับหน้าแรก", true],
    ["Η σελίδα δεν βρέθηκε Αρχική", true],
    ["الصفحة غير موجودةxx", false],
    ["The bridge was not found on older maps.", false],
  ] as const)("%s", (text, begins) => {
    expect(startsMissing(text)).toBe(begins);
  });
});

describe("a forum says of a topic, a member or a file that it is not there:", () => {
  test.each([
    "The requested topic does not exist.",
    "The specified thread does not exist.",
    "The requested user does not exist.",
    "This topic does not exist or was deleted.",
    "This ad does not exist or has been removed.",
    "The specified member does not exist.",
    "This discussion could not be found",
    "Das gewünschte Thema existiert nicht.",
    "Der angeforderte Benutzer existiert nicht.",
    "Dieses Thema existiert in diesem Forum nicht",
    "Dieses Thema existiert nicht oder wurde gelöscht.",
    "Dieser Beitrag existiert nicht oder wurde entfernt",
    "Le sujet demandé n’existe pas.",
    "L’utilisateur demandé n’existe pas.",
    "Ce sujet n’existe pas ou a été supprimé.",
    "La discussion demandée est introuvable.",
    "El tema solicitado no existe.",
    "El usuario solicitado no existe.",
    "Este tema no existe o ha sido eliminado.",
    "L’argomento richiesto non esiste.",
    "Questo argomento non esiste o è stato eliminato.",
    "O tópico solicitado não existe.",
    "Este tópico não existe ou foi removido.",
    "Het opgevraagde onderwerp bestaat niet.",
    "Dit onderwerp bestaat niet of is verwijderd.",
    "Żądany temat nie istnieje.",
    "Ten temat nie istnieje lub został usunięty.",
    "Эта тема не существует или была удалена",
    "Запрошенной темы не существует.",
    "Запрошенного пользователя не существует.",
    "Запрашиваемая тема не найдена.",
    "Пользователь не найден или удалён",
    "Файл удалён",
    "Ця тема не існує або була видалена.",
    "Požadované téma neexistuje.",
    "Toto téma neexistuje nebo bylo smazáno.",
    "İstenen başlık mevcut değil.",
    "Bu konu mevcut değil veya silinmiş.",
    "A kért téma nem létezik.",
    "Ez a téma nem létezik vagy törölték.",
    "Subiectul solicitat nu există.",
    "Acest subiect nu există sau a fost șters.",
    "Den begärda tråden existerar inte.",
    "Den här tråden finns inte eller har tagits bort.",
    "Dette emne findes ikke eller er blevet slettet.",
    "Dette emnet finnes ikke eller er slettet.",
    "Pyydettyä aihetta ei ole olemassa.",
    "Aihetta ei ole olemassa tai se on poistettu.",
    "このトピックは存在しないか、削除されました。",
    "指定されたユーザーは存在しません",
    "指定的主题不存在或已被删除或正在被审核",
    "抱歉，您访问的帖子不存在或已被删除",
    "该用户不存在",
    "존재하지 않거나 삭제된 게시물입니다",
    "해당 회원이 존재하지 않습니다",
    "Тази тема не съществува или е изтрита.",
    "Το θέμα δεν υπάρχει ή έχει διαγραφεί.",
    "هذا الموضوع غير موجود أو تم حذفه.",
    "הנושא לא קיים או נמחק",
    "Chủ đề này không tồn tại hoặc đã bị xóa.",
    "Topik ini tidak ada atau telah dihapus.",
  ])("%s", (words) => {
    expect(read(words)).toBe("clear");
    expect(missingInHeading(words, ANYWHERE)).toBe("clear");
  });

  test.each([
    "Why does my topic not exist or was it deleted?",
    "This topic does not exist or is private",
    "The requested topic does not exist in Kafka: how to create it",
    "Warum dieses Thema nicht existiert oder gelöscht wurde",
    "Was bedeutet „Dieses Thema existiert nicht“ im Forum",
    "Pourquoi ce sujet n’existe pas ou plus dans les écoles",
    "Este tema no existe o eso dicen los expertos",
    "Эта тема не существует или почему о ней молчат",
    "Эта тема не существует для школ",
    "Пользователь не найден: как исправить ошибку",
    "Ten temat nie istnieje lub jest ukryty",
    "为什么说该主题不存在或已被删除",
    "このトピックは存在しないか調べる方法",
    "Bu konu mevcut değil veya neden gizli",
    "Member of the board",
    "This member is no longer active",
    "Message deleted scenes of a film",
  ])("but not: %s", (words) => {
    expect(read(words)).toBeNull();
    expect(missingInHeading(words, ANYWHERE)).toBeNull();
  });
});
