import { decodeHTML } from "entities";
import { decoderFor, SNIFFED_BYTES } from "./charset.ts";
import { parseRefresh, type Refresh } from "./refresh.ts";
import { createVisibleText } from "./visible-text.ts";

/** What there is to know of an HTML page. Texts have their entities decoded and their spaces folded. */
export type Page = {
  title: string;
  /** The first `h1` that has text. */
  heading: string;
  /** What a person sees without scripts: at most the first 16,384 characters. */
  text: string;
  /** The page as it was sent: at most the first 65,536 characters. */
  markup: string;
  /** `<link rel="canonical">`, as written. */
  canonical: string | null;
  /** `og:url` and `og:type`, as written. */
  ogUrl: string | null;
  ogType: string | null;
  /** A robots `meta`, for all or for one search engine, says `noindex` or `none`. */
  isNoindex: boolean;
  /** `<meta http-equiv="refresh">` that names an address. */
  refresh: Refresh | null;
  hasArticle: boolean;
  /** JSON-LD describes the one thing that the page is about: an article, a product, a video. */
  hasMainEntity: boolean;
  forms: number;
  passwordFields: number;
};

/** Reads a page while it arrives, so that no more of it is kept than is looked at. */
export type PageReader = {
  take(chunk: Uint8Array): void;
  /** To be called once, after the last chunk. Broken markup is read as far as it makes sense. */
  end(): Promise<Page>;
};

const MARKUP_CHARS = 65_536;
const TITLE_CHARS = 300;
const JSON_LD_CHARS = 65_536;

/** @param contentType the response's header, for its charset */
export function createPageReader(contentType: string | null): PageReader {
  const found = nothingYet();
  const text = createVisibleText();
  let feed!: ReadableStreamDefaultController<Uint8Array>;
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      feed = controller;
    },
  });
  // What cannot be parsed to its end is still worth its beginning.
  const parsing = drain(rewriterInto(found).transform(new Response(source)), text.take).catch(
    () => {},
  );
  const input = createInput(contentType, (bytes, decoded) => {
    feed.enqueue(bytes);
    if (found.markup.length < MARKUP_CHARS) found.markup += decoded();
  });
  return {
    take: input.take,
    async end() {
      input.end();
      feed.close();
      await parsing;
      return finished(found, text.end());
    },
  };
}

/** Hands the bytes on as UTF-8, and as text to whoever asks. Waits for enough to know the charset. */
function createInput(
  contentType: string | null,
  give: (bytes: Uint8Array, decoded: () => string) => void,
) {
  let start: Uint8Array = new Uint8Array();
  let decoder: TextDecoder | null = null;
  const encoder = new TextEncoder();

  function pass(chunk: Uint8Array): void {
    decoder ??= decoderFor(contentType, chunk);
    const decode = () => decoder!.decode(chunk, { stream: true });
    if (decoder.encoding === "utf-8") {
      give(chunk, decode);
      return;
    }
    const text = decode();
    give(encoder.encode(text), () => text);
  }

  return {
    take(chunk: Uint8Array) {
      if (decoder) return pass(chunk);
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      if (start.length >= SNIFFED_BYTES) pass(start);
    },
    end() {
      if (!decoder && start.length > 0) pass(start);
    },
  };
}

/** The rewriter works as its output is read. */
async function drain(response: Response, take: (chunk: Uint8Array) => void): Promise<void> {
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    take(value);
  }
}

/** What was met so far. */
type Found = Omit<Page, "text" | "heading" | "hasMainEntity"> & {
  titles: number;
  headings: string[];
  jsonLd: string;
};

const nothingYet = (): Found => ({
  title: "",
  titles: 0,
  headings: [],
  markup: "",
  canonical: null,
  ogUrl: null,
  ogType: null,
  isNoindex: false,
  refresh: null,
  hasArticle: false,
  jsonLd: "",
  forms: 0,
  passwordFields: 0,
});

/** Notes what a page says of itself and leaves out what nobody sees. */
function rewriterInto(found: Found): HTMLRewriter {
  return new HTMLRewriter()
    .on("script,style,svg,template,noscript,iframe", {
      element(element) {
        element.remove();
      },
    })
    .on("title", {
      element(element) {
        element.remove();
        found.titles += 1;
      },
      text({ text }) {
        if (found.titles === 1) found.title += text;
      },
    })
    .on("h1", {
      element() {
        found.headings.push("");
      },
      text({ text }) {
        found.headings[found.headings.length - 1] += text;
      },
    })
    .on("meta", { element: (element) => noteMeta(found, element) })
    .on('link[rel="canonical" i]', {
      element(element) {
        found.canonical ??= element.getAttribute("href");
      },
    })
    .on("article", {
      element() {
        found.hasArticle = true;
      },
    })
    .on("form", {
      element() {
        found.forms += 1;
      },
    })
    .on('input[type="password" i]', {
      element() {
        found.passwordFields += 1;
      },
    })
    .on('script[type="application/ld+json" i]', {
      text({ text }) {
        if (found.jsonLd.length < JSON_LD_CHARS) found.jsonLd += text;
      },
    });
}

function noteMeta(found: Found, element: HTMLRewriterTypes.Element): void {
  const name = element.getAttribute("name") ?? element.getAttribute("property");
  const content = element.getAttribute("content") ?? "";
  if (name === null) {
    if (/^refresh$/i.test(element.getAttribute("http-equiv") ?? "")) {
      found.refresh ??= parseRefresh(decodeHTML(content));
    }
  } else if (/^(robots|googlebot|bingbot)$/i.test(name)) {
    found.isNoindex ||= isNoindex(content);
  } else if (/^og:url$/i.test(name)) {
    found.ogUrl ??= content;
  } else if (/^og:type$/i.test(name)) {
    found.ogType ??= content;
  }
}

/** Whether a robots `meta` or an `X-Robots-Tag` header asks to be left out of search engines. */
export const isNoindex = (directives: string) => /\b(noindex|none)\b/i.test(directives);

const MAIN_ENTITY =
  /"mainEntity(OfPage)?"|"@type"\s*:\s*\[?\s*"(\w*Article|BlogPosting|Product|VideoObject|Recipe|Event|Book|Movie|TVSeries|MusicRecording|Dataset|SoftwareApplication|JobPosting|Course|QAPage|HowTo)"/;

function finished(found: Found, text: string): Page {
  const { titles, headings, jsonLd, ...rest } = found;
  return {
    ...rest,
    title: folded(found.title).slice(0, TITLE_CHARS),
    heading:
      headings
        .map(folded)
        .find((heading) => heading !== "")
        ?.slice(0, TITLE_CHARS) ?? "",
    text,
    markup: found.markup.slice(0, MARKUP_CHARS),
    hasMainEntity: MAIN_ENTITY.test(jsonLd),
  };
}

const folded = (text: string) => decodeHTML(text).replace(/\s+/g, " ").trim();
