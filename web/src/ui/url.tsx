import { type ComponentChildren, Fragment } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type DisplayUrl, displayUrl } from "../data/display-url.ts";
import { many } from "../data/format.ts";

type UrlProps = {
  url: string;
  /** On up to three lines, instead of one with an ellipsis in the middle. */
  whole?: boolean;
  /** A text to mark wherever it occurs. */
  mark?: string;
  /** Names the column of cells of one width, whose room is measured once for all. */
  column?: string;
};

/** A URL as people read it. Its title, and what is copied, is the stored one. */
export const Url = ({ url, whole, mark = "", column }: UrlProps) =>
  whole ? (
    <WholeUrl url={url} mark={mark} />
  ) : (
    <ShortUrl url={url} parts={displayUrl(url)} mark={mark} column={column} />
  );

type ShortUrlProps = {
  url: string;
  parts: DisplayUrl;
  mark: string;
  column: string | undefined;
};

function ShortUrl({ url, parts, mark, column = "" }: ShortUrlProps) {
  const { ref, room, font } = useRoom(column);
  const { scheme, host, path } = room === null ? parts : fitted(parts, room, font);
  return (
    <span class="url" title={url} dir="ltr" ref={ref} onCopy={(event) => copyStored(event, url)}>
      {scheme && <span>{scheme}</span>}
      {host && <b>{marked(host, mark)}</b>}
      <span class="ph">{marked(path, mark)}</span>
    </span>
  );
}

function WholeUrl({ url, mark }: { url: string; mark: string }) {
  const { scheme, host, path } = displayUrl(url);
  const [isOpen, setOpen] = useState(false);
  const text = useRef<HTMLSpanElement>(null);
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const span = text.current!;
    const measure = () => setLong(linesOf(span) > MOST_LINES);
    measure();
    setOpen(false);
    const resized = new ResizeObserver(measure);
    resized.observe(span.parentElement!);
    return () => resized.disconnect();
  }, [url]);
  return (
    <>
      <span
        class={isLong && !isOpen ? "url whole three" : "url whole"}
        title={url}
        dir="ltr"
        ref={text}
        onCopy={(event) => copyStored(event, url)}
      >
        {scheme && <span>{scheme}</span>}
        {host && <b>{marked(host, mark)}</b>}
        <span class="ph">{broken(path, mark)}</span>
      </span>
      {isLong && (
        <button type="button" class="text-button" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}

const MOST_LINES = 3;

/** How many lines the text takes when it is not folded. It has a box on each (CSSOM View §6). */
function linesOf(span: HTMLElement): number {
  const isFolded = span.classList.contains("three");
  span.classList.remove("three");
  const lines = new Set([...span.getClientRects()].map(({ bottom }) => Math.round(bottom)));
  span.classList.toggle("three", isFolded);
  return lines.size;
}

/** With a place to break after each of `/ ? &`. */
const broken = (path: string, mark: string) =>
  (path.match(/[^/?&]*[/?&]?/g) ?? []).filter(Boolean).map((part, n) => (
    <Fragment key={n}>
      {marked(part, mark)}
      <wbr />
    </Fragment>
  ));

/** The text with what was searched for marked in it. */
export function marked(text: string, mark: string): ComponentChildren {
  const at = mark ? text.toLowerCase().indexOf(mark.toLowerCase()) : -1;
  if (at < 0) return text;
  const end = at + mark.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}

/** Who copies all of it gets the stored URL; who copies a part gets what is on the screen. */
function copyStored(event: ClipboardEvent, url: string) {
  const shown = (event.currentTarget as HTMLElement).textContent;
  const copied = getSelection()?.toString().trim();
  if (!copied || copied !== shown?.trim()) return;
  event.clipboardData?.setData("text/plain", url);
  event.preventDefault();
}

/** What gives URLs their room: it keeps its width, however long they are. */
const CELLS = ".c-u, .a-u, .sub, [data-room]";

/** The pixels a URL may take in its cell, known before it is first painted; null outside of cells. */
function useRoom(column: string) {
  const ref = useRef<HTMLSpanElement>(null);
  const last = measured.get(column);
  const [room, setRoom] = useState<number | null>(last?.room ?? null);
  const font = useRef<Font>(last?.font ?? { family: "", size: "" });
  useLayoutEffect(() => {
    const span = ref.current;
    const cell = span?.closest(CELLS);
    if (!span || !cell) return;
    const measure = () => {
      const { fontFamily, fontSize } = getComputedStyle(span);
      font.current = { family: fontFamily, size: fontSize };
      const found = roomIn(cell, span);
      if (column) measured.set(column, { room: found, font: font.current });
      setRoom(found);
    };
    rooms.set(cell, measure);
    observer.observe(cell);
    return () => {
      rooms.delete(cell);
      observer.unobserve(cell);
    };
  }, []);
  return { ref, room, font: font.current };
}

/** What was measured last, by column. */
const measured = new Map<string, { room: number; font: Font }>();
const rooms = new Map<Element, () => void>();
/** One for all: its reports come together, when the layout is known. */
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) rooms.get(target)?.();
});

function roomIn(cell: Element, span: Element): number {
  const { paddingLeft, paddingRight, columnGap } = getComputedStyle(cell);
  const others = [...cell.children].filter((each) => !each.contains(span));
  const gap = Number.parseFloat(columnGap) || 0;
  const taken = others.reduce((sum, each) => sum + (each as HTMLElement).offsetWidth + gap, 0);
  const padding = Number.parseFloat(paddingLeft) + Number.parseFloat(paddingRight);
  return Math.max(cell.clientWidth - padding - taken, 0);
}

type Font = { family: string; size: string };

let pen: CanvasRenderingContext2D | null = null;
const widths = new Map<string, number>();
const MOST_WIDTHS = 5000;

/** Hosts come again and again, so widths are kept. */
function widthOf(text: string, weight: number, { family, size }: Font): number {
  const key = `${weight} ${size} ${family} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) return 0;
  pen.font = `${weight} ${size} ${family}`;
  const width = pen.measureText(text).width;
  if (widths.size > MOST_WIDTHS) widths.clear();
  widths.set(key, width);
  return width;
}

/** A measured text may be drawn a little wider. */
const SPARE = 3;
/** Of the room, at least so much is for the path, if there is one. */
const PATH_SHARE = 0.3;

/** Takes out of the middle of the path, and of the host if that is very long, what does not fit. */
function fitted({ scheme, host, path }: DisplayUrl, whole: number, font: Font): DisplayUrl {
  const room = whole - SPARE;
  const shortScheme = cut(scheme, room * PATH_SHARE, 400, font);
  const left = room - widthOf(shortScheme, 400, font);
  const ofPath = Math.min(widthOf(path.slice(0, 400), 400, font), left * PATH_SHARE);
  const shortHost = cut(host, left - ofPath, 500, font);
  const shortPath = cut(path, left - widthOf(shortHost, 500, font), 400, font);
  return { scheme: shortScheme, host: shortHost, path: shortPath };
}

/** What is longer cannot fit. */
const MOST_SIGNS = 600;
const MOST_AT_END = 18;

function cut(text: string, room: number, weight: number, font: Font): string {
  if (text.length < MOST_SIGNS && widthOf(text, weight, font) <= room) return text;
  const signs = [...text];
  let [fits, tooLong] = [0, Math.min(signs.length, MOST_SIGNS)];
  while (tooLong - fits > 1) {
    const keep = (fits + tooLong) >> 1;
    if (widthOf(without(signs, keep), weight, font) <= room) fits = keep;
    else tooLong = keep;
  }
  return without(signs, fits);
}

function without(signs: string[], keep: number): string {
  const end = Math.min(Math.floor(keep * 0.45), MOST_AT_END);
  return `${signs.slice(0, keep - end).join("")}…${signs.slice(signs.length - end).join("")}`;
}

type LinkListProps = {
  links: { id: string; url: string }[];
  /** How many there are, with those that are not listed. */
  count: number;
  /** Where all of them are. */
  href: string;
};

/** The first links of a cause or a change. */
export const LinkList = ({ links, count, href }: LinkListProps) => (
  <ul class="subs">
    {links.map(({ id, url }) => (
      <li key={id} class="sub">
        <a href={`/links/${id}`}>
          <Url url={url} />
        </a>
      </li>
    ))}
    {count > links.length && (
      <li class="sub etc">
        <a href={href}>{many(count - links.length)} more</a>
      </li>
    )}
  </ul>
);
