import { ArrowDown, ArrowUp, ChevronRight, Plus } from "lucide-preact";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { useCounts } from "../data/counts.ts";
import { many } from "../data/format.ts";
import { useIsDown } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { AddProgress, useAdd } from "./add.tsx";
import { returnToPlace } from "./kept.ts";

type BarContent = {
  /** From the list to the page; the last one is the page itself. */
  crumbs: { label: string; href?: string }[];
  /** "9 of 23" in the list that the page was opened from. */
  position?: { text: string; onPrevious?: () => void; onNext?: () => void };
};

const BarContext = createContext<(content: BarContent) => void>(() => {});

/** What the bar above the page shows; also names the document. Every page calls it. */
export function useBar(content: BarContent): void {
  const show = useContext(BarContext);
  const latest = useRef(content);
  latest.current = content;
  useEffect(() => {
    const { crumbs, position } = latest.current;
    const ways = position && {
      ...(position.onPrevious && { onPrevious: () => latest.current.position?.onPrevious?.() }),
      ...(position.onNext && { onNext: () => latest.current.position?.onNext?.() }),
    };
    show({ crumbs, ...(position && { position: { text: position.text, ...ways } }) });
  }, [keyOf(content), show]);
}

const keyOf = ({ crumbs, position }: BarContent) =>
  JSON.stringify([crumbs, position?.text, !position?.onPrevious, !position?.onNext]);

/** The bar, and below it the page that fills it. */
export function BarFrame({ children }: { children: ComponentChildren }) {
  const isDown = useIsDown();
  const [{ crumbs, position }, setContent] = useState<BarContent>({ crumbs: [] });
  const canWrite = useCanWrite();
  const { open } = useAdd();
  useDocumentTitle(crumbs.at(-1)?.label, useCounts()?.attention ?? 0);
  return (
    <div class="work">
      <section class="bar" aria-label="Where you are">
        <nav class="crumbs" aria-label="Breadcrumb">
          {crumbs.map(({ label, href }, n) => (
            <CrumbPart key={label} label={label} href={href} isLast={n === crumbs.length - 1} />
          ))}
        </nav>
        <div class="bar-right">
          {position && <Position {...position} />}
          {!isDown && (
            <span class="live" title="Updates automatically">
              <i />
              Live
            </span>
          )}
          <AddProgress />
          {canWrite && (
            <Button primary icon={Plus} keys="A" data-add onClick={() => open()}>
              Add
            </Button>
          )}
        </div>
      </section>
      <BarContext.Provider value={setContent}>{children}</BarContext.Provider>
    </div>
  );
}

const Position = ({ text, onPrevious, onNext }: NonNullable<BarContent["position"]>) => (
  <span class="pos">
    {text}
    {onPrevious && <IconButton icon={ArrowUp} label="Previous" keys="K" onClick={onPrevious} />}
    {onNext && <IconButton icon={ArrowDown} label="Next" keys="J" onClick={onNext} />}
  </span>
);

type CrumbPartProps = { label: string; href: string | undefined; isLast: boolean };

const CrumbPart = ({ label, href, isLast }: CrumbPartProps) => (
  <>
    {href && !isLast ? (
      <a href={href} onClick={returnToPlace}>
        {label}
      </a>
    ) : (
      <span aria-current={isLast ? "page" : undefined}>{label}</span>
    )}
    {!isLast && <ChevronRight class="i" aria-hidden="true" />}
  </>
);

const USUAL_ICON = new URL("../icon.svg", import.meta.url).href;
const DEAD_ICON = new URL("../icon-dead.svg", import.meta.url).href;

/** Names the document "(23) Links · Stillup", where 23 links need attention, and puts a red dot on its icon. */
function useDocumentTitle(page: string | undefined, attention: number): void {
  useEffect(() => {
    const number = attention > 0 ? `(${many(attention)}) ` : "";
    if (page) document.title = `${number}${page} · Stillup`;
  }, [page, attention]);
  const icon = attention > 0 ? DEAD_ICON : USUAL_ICON;
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (link) link.href = icon;
  }, [icon]);
}
