import { isText } from "./page.ts";

/** Content types that promise a document, an archive, media, a script or data, but never a page. */
const PROMISES_FILE =
  /^\s*(?:application\/(?:pdf|zip|gzip|x-(?:gzip|tar|bzip2?|7z-compressed|rar\S{0,20}|javascript|shockwave-flash)|vnd\.|msword|epub|rtf|postscript|java-?(?:archive|script)|(?:[\w.]{1,40}\+)?json)|image\/|audio\/|video\/|font\/|text\/(?:javascript|css|csv|calendar))/i;

/** Whether a page would be something else than the content type says. */
export const promisesFile = (contentType: string | null) =>
  contentType !== null && PROMISES_FILE.test(contentType);

/** Whether the first bytes of a body must tell what it is: a page that is offered for download is a file. */
export const mayBePage = (contentType: string | null, isOffered: boolean) =>
  promisesFile(contentType) || (!isText(contentType) && !isOffered);

const MOST_BYTES = 512;
/** Enough for the longest sign. */
const SIGN_CHARS = 16;
const SPACES = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*/;
/** The beginnings of HTML (MIME Sniffing §7.1), without comments, which scripts may begin with, too. */
const HTML =
  /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]/i;

/** Takes the first bytes of a body until they tell whether it is HTML; null means that more are needed. */
export function createSniffer(): (chunk: Uint8Array) => boolean | null {
  let start = "";
  return (chunk) => {
    start += Buffer.from(chunk.subarray(0, MOST_BYTES - start.length)).toString("latin1");
    const text = start.replace(SPACES, "");
    if (HTML.test(text)) return true;
    const isOpen = text === "" || (text.startsWith("<") && text.length < SIGN_CHARS);
    return isOpen && start.length < MOST_BYTES ? null : false;
  };
}
