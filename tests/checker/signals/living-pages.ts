import { paragraph, story } from "./missing-pages.ts";

/** How a played site answers at addresses that do not exist. */
export type Host = "honest" | "gone" | "layout" | "same" | "numbered";

/** What a check of the page may come to; `open` is anything but dead. */
export type Expected = "active" | "open" | "suspected" | "dead";

export type Played = [story: string, path: string, html: string, expected: Expected, host?: Host];

type Parts = { head?: string; main?: string };

const MENU = ["New in", "Women", "Men", "Children", "Shoes", "Bags", "Sale", "Stores", "Journal"]
  .map((name) => `<li><a href="/${name.toLowerCase()}">${name} and everything in it</a></li>`)
  .join("");

/** A shop or a forum with all that stands around its pages. */
export const layout = (title: string, heading: string, { head = "", main = "" }: Parts = {}) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head>
  <body class="has-sidebar"><div class="cookie-bar"><p>We use cookies and similar technologies to run this site, to
  measure how it is used and to show what may interest you. You can change your choice at any time.</p></div>
  <header><ul class="menu">${MENU}${MENU}${MENU}${MENU}${MENU}</ul></header><main>${heading === "" ? "" : `<h1>${heading}</h1>`}${main}</main>
  <div class="club"><p>Join the club: free delivery on all orders above fifty euros, returns within a hundred days, and
  news of what comes next, once a month and never more. You can leave whenever you like.</p></div>
  <footer><ul>${MENU}</ul><p>© The Harbour Stores, 12 Quay Street. All prices include taxes. Pictures may differ from
  what is delivered. Opening hours: Monday to Saturday from nine to seven, and on Sundays before Christmas.</p></footer>
  </body></html>`;

/** A short page without anything around it. */
export const plain = (title: string, heading = title, main = "", head = "") =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><nav><a href="/">Home</a></nav><h1>${heading}</h1>${main}</body></html>`;

const p = (text: string) => `<p>${text}</p>`;
const LAW = p(
  "Der Käufer hat die Kosten der Übergabe zu tragen, wenn nichts anderes vereinbart ist.",
);
const CATALOGUE = '<ul><li><a href="/p/1">Lamp</a></li><li><a href="/p/2">Chair</a></li></ul>';
const APOLOGY = p("The item may have been sold or withdrawn. Have a look at what else we have.");
const LYRICS = p(story(7, 120));

const LAWS: Played[] = [
  ["a paragraph of a law", "/bgb/404", plain("§ 404 BGB – Einwendungen", "§ 404", LAW), "active"],
  ["a paragraph called by its number only", "/bgb/p?id=404", plain("404", "404", LAW), "active"],
  [
    "an article of a code",
    "/code/art/404",
    plain("Art. 404 | Code civil", "Art. 404", p("La loi dispose.")),
    "active",
  ],
  [
    "a section of an act",
    "/act/s404",
    plain("Section 404 - Sarbanes-Oxley Act", "Section 404", p("Management shall assess.")),
    "active",
  ],
  ["a paragraph in brackets", "/law/x/17", plain("(404)", "(404)", LAW), "active"],
  [
    "a number of a decision",
    "/decisions/17",
    plain("No. 404", "No. 404", p("The appeal is dismissed.")),
    "active",
  ],
  [
    "a number alone above a table",
    "/table/17",
    plain("#404", "#404", p("Lot 404: an oak table.")),
    "active",
  ],
  [
    "a year",
    "/years/17",
    plain("404 - Chronicle", "404", p("Honorius moves the court to Ravenna.")),
    "active",
  ],
  [
    "a psalm in a hymn book",
    "/hymns/17",
    plain("404", "404 Abide with me", p(story(3, 40))),
    "active",
  ],
];

const PRODUCTS: Played[] = [
  [
    "a car",
    "/cars/peugeot",
    plain("Peugeot 404", "Peugeot 404", p("Built from 1960 to 1975.")),
    "active",
  ],
  ["a room", "/hotel/r17", plain("Room 404", "Room 404", p("Two beds, sea view.")), "active"],
  [
    "a room by its number",
    "/hotel/r18",
    plain("404 | Hotel Sea", "404", p("Two beds, sea view.")),
    "active",
  ],
  [
    "an area code",
    "/codes/atlanta",
    plain("Area code 404", "Area code 404", p("Atlanta, Georgia.")),
    "active",
  ],
  [
    "a house",
    "/houses/17",
    plain("404 Lexington Avenue", "404 Lexington Avenue", p("Three floors.")),
    "active",
  ],
  [
    "a lipstick",
    "/lips/17",
    layout("404 Rouge Allure | Harbour", "404 Rouge Allure", { main: p("A deep red.") }),
    "active",
  ],
  [
    "a screw",
    "/screws/17",
    layout("404", "404", { main: p("Steel, 4 mm, box of a hundred.") }),
    "active",
  ],
  ["a flight", "/flights/17", plain("404", "Flight 404", p("Lands at 14:05.")), "active"],
  [
    "a bus line",
    "/lines/17",
    plain("404: Harbour – Station", "404: Harbour – Station", p("Every ten minutes.")),
    "active",
  ],
  ["a chess problem", "/problems/17", plain("Problem 404", "404", p("White to move.")), "active"],
  ["an issue of a magazine", "/magazine/17", plain("Issue 404", "Issue 404", p("June.")), "active"],
  [
    "a sauce",
    "/sauces/17",
    plain("Error 404 Hot Sauce", "Error 404 Hot Sauce", p("Brain not found.")),
    "active",
  ],
  ["a video game level", "/levels/17", plain("Level 404", "Level 404", p("A maze.")), "active"],
];

const GLOSSARY: Played[] = [
  [
    "an entry by its number",
    "/glossary/17",
    plain("404", "404", p("The status of what a server cannot find.")),
    "active",
  ],
  [
    "an entry of HTTP",
    "/glossary/18",
    plain("HTTP 404", "HTTP 404", p("A status code of the web.")),
    "open",
  ],
  [
    "an entry named by its address",
    "/glossary/404-not-found",
    plain("404 Not Found", "404 Not Found", p("A status code.")),
    "open",
  ],
  [
    "an entry that explains the phrase",
    "/web/17",
    plain(
      "404 Not Found",
      "404 Not Found",
      p("A status code which says that a server has no such page."),
    ),
    "open",
  ],
  ["a long entry", "/web/18", plain("HTTP 404", "HTTP 404", paragraph(4, 300)), "active"],
  [
    "an entry in French",
    "/lexique/17",
    plain("Erreur 404", "Erreur 404", p("Code d’état HTTP d’une page absente.")),
    "open",
  ],
  [
    "an entry in German",
    "/lexikon/17",
    plain("Fehler 404", "Fehler 404", p("Statuscode für eine fehlende Seite.")),
    "open",
  ],
  [
    "an entry in Russian",
    "/slovar/17",
    plain("Ошибка 404", "Ошибка 404", p("Код состояния HTTP.")),
    "open",
  ],
  [
    "an entry in Japanese",
    "/yougo/17",
    plain("404エラーとは", "404エラーとは", p("ページがないことを示すステータスコード。")),
    "open",
  ],
  [
    "a help page of a program",
    "/help/articles/17",
    plain("File not found", "File not found", p("What this message means, and what to do.")),
    "open",
  ],
];

const ARTICLES: Played[] = [
  [
    "on design, by a colon",
    "/blog/17",
    plain(
      "Page not found: how to design a good one",
      "Page not found: how to design a good one",
      paragraph(5, 90),
    ),
    "active",
  ],
  [
    "on design, by a dash",
    "/blog/18",
    plain(
      "Page not found – how to design a good one",
      "Page not found – how to design a good one",
      paragraph(5, 90),
    ),
    "active",
  ],
  [
    "on design, by a bar",
    "/blog/19",
    plain("404 | The art of the error page", "404 | The art of the error page", paragraph(5, 90)),
    "open",
  ],
  [
    "that is short, by a dash",
    "/blog/20",
    plain(
      "Page not found - a love story",
      "Page not found - a love story",
      p("It begins in a library."),
    ),
    "open",
  ],
  [
    "on errors",
    "/blog/21",
    plain("HTTP 404 explained", "HTTP 404 explained", paragraph(5, 90)),
    "active",
  ],
  [
    "on the best of them",
    "/blog/22",
    plain("Error 404: our favourite pages", "Error 404: our favourite pages", paragraph(5, 90)),
    "active",
  ],
  [
    "of a whole page",
    "/blog/23",
    layout("Page not found | Harbour Journal", "Page not found", {
      main: `<article>${paragraph(6, 200)}</article>`,
    }),
    "active",
  ],
  [
    "without an element for it",
    "/blog/24",
    layout("Page not found | Harbour Journal", "Page not found", { main: paragraph(6, 200) }),
    "open",
  ],
  [
    "in German",
    "/blog/25",
    plain("Seite nicht gefunden: was nun?", "Seite nicht gefunden: was nun?", paragraph(5, 90)),
    "active",
  ],
  [
    "in French, with a dash",
    "/blog/26",
    plain(
      "Page introuvable – comment faire mieux que les autres",
      "Page introuvable – comment faire mieux que les autres",
      paragraph(5, 90),
    ),
    "active",
  ],
];

const WORKS: Played[] = [
  ["a song, with its words", "/songs/17", plain("Not Found | Lyrics", "Not Found", LYRICS), "open"],
  ["a song, with few words", "/songs/18", plain("Not Found", "Not Found", p(story(7, 20))), "open"],
  [
    "an album, all of links",
    "/albums/17",
    plain("Not Found - The Ladders", "Not Found", CATALOGUE),
    "open",
  ],
  [
    "a film",
    "/films/17",
    plain("Not Found (2013)", "Not Found (2013)", p("A drama of 90 minutes.")),
    "active",
  ],
  [
    "a film called like an error page",
    "/films/18",
    plain("Page Not Found", "Page Not Found", LYRICS),
    "open",
  ],
  [
    "a film in German",
    "/films/19",
    plain("Nicht gefunden", "Nicht gefunden", p("Drama, 90 Minuten.")),
    "open",
  ],
  [
    "a film in Spanish",
    "/films/20",
    plain("No encontrado | Cine", "No encontrado", p("Drama, 90 minutos.")),
    "open",
  ],
  [
    "a book whose text is long",
    "/books/17",
    layout("Product not found | Harbour", "Product not found", { main: paragraph(8, 160) }),
    "open",
  ],
  ["a picture called so", "/art/17", plain("404", "404", '<img src="/a.jpg">'), "active"],
  [
    "an exhibition",
    "/shows/17",
    plain("404 NOT FOUND – Museum", "An exhibition of nets", p(story(9, 60))),
    "open",
  ],
];

const deleted = (title: string, heading: string, main = APOLOGY) =>
  layout(`${title} | The Harbour Stores`, heading, { main: main + CATALOGUE });

const DELETED: Played[] = [
  ["a product", "/p/31", deleted("Product not found", "Product not found"), "dead"],
  [
    "a product that is no longer sold",
    "/p/32",
    deleted("This product is no longer available", "This product is no longer available"),
    "dead",
  ],
  [
    "a product on a site that says 410 elsewhere",
    "/p/33",
    deleted("Product not found", "Product not found"),
    "dead",
    "gone",
  ],
  [
    "a product, where missing pages have the same layout",
    "/p/34",
    deleted("Product not found", "Product not found"),
    "dead",
    "layout",
  ],
  [
    "a product, in German",
    "/p/35",
    deleted("Artikel nicht gefunden", "Der Artikel wurde nicht gefunden"),
    "dead",
  ],
  [
    "a product, in French",
    "/p/36",
    deleted("Produit introuvable", "Ce produit n’existe plus"),
    "dead",
  ],
  [
    "a product, in Spanish",
    "/p/37",
    deleted("Producto no encontrado", "Producto no encontrado"),
    "dead",
  ],
  [
    "a product, in Polish",
    "/p/38",
    deleted("Nie znaleziono produktu", "Nie znaleziono produktu"),
    "dead",
  ],
  ["a product, in Russian", "/p/39", deleted("Страница не найдена", "Страница не найдена"), "dead"],
  [
    "a product, in Japanese",
    "/p/40",
    deleted("ページが見つかりません", "お探しのページは見つかりませんでした"),
    "dead",
  ],
  [
    "a thread, by a second heading",
    "/t/31",
    layout("Thread not found - Harbour Forum", "", {
      main: `<h2>Thread not found</h2>${p("It may have been removed by a moderator.")}`,
    }),
    "dead",
  ],
  [
    "a thread",
    "/t/32",
    layout("Topic not found - Harbour Forum", "The requested topic does not exist."),
    "dead",
  ],
  ["a post", "/t/33", plain("Post not found", "Post not found", p("It was removed.")), "dead"],
  [
    "a job",
    "/jobs/31",
    layout("Job not found | Harbour", "This job posting is no longer available", {
      main: p("Have a look at our other openings."),
    }),
    "dead",
  ],
  ["a profile", "/u/31", plain("User not found | Harbour", "User not found"), "dead"],
  [
    "a page with its number",
    "/x/31",
    layout("404 Not Found | Harbour", "404 Not Found", { main: APOLOGY }),
    "dead",
  ],
  [
    "a page with its number in the heading",
    "/x/32",
    layout("Page not found | Harbour", "Error 404", { main: APOLOGY }),
    "dead",
  ],
  [
    "a server's own page",
    "/x/33",
    "<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>",
    "dead",
  ],
  [
    "a page that says so for every address",
    "/x/34",
    layout("Oops | Harbour", "Page not found", { main: APOLOGY }),
    "dead",
    "same",
  ],
  [
    "a page with nothing but a number for every address",
    "/x/35",
    layout("404 | Harbour", "404", { main: p("Page not found.") }),
    "dead",
    "numbered",
  ],
];

const DOUBTFUL: Played[] = [
  ["only in the title", "/d/31", plain("Page not found", "Oh dear", APOLOGY), "suspected"],
  ["only in the heading", "/d/32", plain("Harbour", "Page not found", APOLOGY), "suspected"],
  [
    "only in the title, and search engines shall not see it",
    "/d/33",
    plain("Page not found", "Oh dear", APOLOGY, '<meta name="robots" content="noindex">'),
    "suspected",
  ],
  [
    "only in the heading, with the home page as its own address",
    "/d/34",
    plain("Harbour", "Page not found", APOLOGY, '<link rel="canonical" href="/">'),
    "suspected",
  ],
  [
    "in the title, and where the text begins",
    "/d/35",
    "<title>Page not found</title><p>Page not found. Sorry.</p>",
    "suspected",
  ],
  ["in the heading, below a number", "/d/36", plain("404", "Page not found", APOLOGY), "suspected"],
  ["as an error without words", "/d/37", plain("Error 404", "Error 404", APOLOGY), "suspected"],
  [
    "in two words that may be a name",
    "/d/38",
    plain("Not Found", "Not Found", APOLOGY),
    "suspected",
  ],
  [
    "only in the heading of a whole layout",
    "/d/39",
    layout("Harbour", "Page not found", { main: APOLOGY }),
    "suspected",
  ],
];

export const PLAYED: Record<string, Played[]> = {
  "A law": LAWS,
  "A thing with the number": PRODUCTS,
  "A glossary": GLOSSARY,
  "An article": ARTICLES,
  "A work": WORKS,
  "What was deleted": DELETED,
  "A phrase": DOUBTFUL,
};
