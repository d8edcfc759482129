import { afterAll, expect, test } from "bun:test";
import { NEVER_CHECKED } from "../../../server/verdict/attempt.ts";
import { checkUrl } from "../../../server/verdict/confirm.ts";
import { startSite } from "../../site.ts";
import { labChecker } from "../prober.ts";
import { article, excuse } from "./missing-pages.ts";

const stops: (() => unknown)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** A site that answers every address but its home page and one article with the same page. */
async function verdictAt(path: string, html: string, type = "text/html"): Promise<string> {
  const there = new Response(article("Mills and water")).text();
  const front = async () => new Response(await there, { headers: { "Content-Type": "text/html" } });
  const otherwise = () => new Response(html, { headers: { "Content-Type": type } });
  const site = startSite({ "/": front, "/there": front, "/robots.txt": 404 }, { otherwise });
  stops.push(site.stop);
  const url = site.url + path;
  const found = await checkUrl(labChecker().checker, { ...NEVER_CHECKED, url });
  return found.status;
}

test.each([
  ["a German ad", "/ad/17", excuse("Diese Anzeige ist nicht mehr verfügbar"), "text/html"],
  ["a Spanish ad", "/ad/17", excuse("Este anuncio ha caducado"), "text/html"],
  ["a Polish ad", "/ad/17", excuse("To ogłoszenie jest już nieaktualne"), "text/html"],
  ["an error page that calls itself a PDF", "/a.pdf", excuse("Page not found"), "application/pdf"],
  [
    "a route that is missing",
    "/a",
    `${excuse("Hm")}<template data-dgst="NEXT_NOT_FOUND">`,
    "text/html",
  ],
])("%s is dead, and what is there is alive", async (_, path, html, type) => {
  expect(await verdictAt(path, html, type)).toBe("dead");
  expect(await verdictAt("/there", html, type)).toBe("active");
});
