import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { ArrowDown, ArrowUp, BellOff, CircleCheck, Maximize2, RefreshCw, X } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type Seen, seenOf } from "../data/evidence.ts";
import type { ListedLink } from "../data/link-rows.ts";
import { explain, linkOptions } from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";
import { ReplaceWith } from "../replace/replace-with.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { FoundOn } from "../ui/found-on.tsx";
import { Empty, Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Drawer } from "../ui/overlay.tsx";
import { Report } from "../ui/report.tsx";
import { shapeOf } from "../ui/row.tsx";
import { State } from "../ui/state.tsx";
import { Strip, stripLabel } from "../ui/strip.tsx";
import { Url } from "../ui/url.tsx";

type PeekProps = {
  link: ListedLink;
  /** Someone else deleted it. */
  isGone: boolean;
  /** The rows around it, whose details are fetched before they are wanted. */
  next: (ListedLink | undefined)[];
  onPrevious: () => void;
  onNext: () => void;
  onOpen: () => void;
  onClose: () => void;
  onCheck: () => void;
  onAcknowledge: () => void;
  onMute: () => void;
  /** Further actions. */
  menu: ComponentChildren;
};

const FRESH_MS = 30_000;

/** The link of the current row, next to the list. */
export default function Peek(props: PeekProps) {
  const { link, next } = props;
  const client = useQueryClient();
  const ids = next.flatMap((each) => each?.id ?? []);
  useEffect(() => {
    for (const id of ids) void client.prefetchQuery({ ...linkOptions(id), staleTime: FRESH_MS });
  }, [ids.join()]);
  return (
    <Drawer label={link.url} head={<Head {...props} />}>
      <h2>
        <Url key={link.id} url={link.url} whole />
      </h2>
      {link.title && <p class="soft">{link.title}</p>}
      {props.isGone ? (
        <Empty title="This link was deleted">
          <a href="/settings/activity?action=link.deleted">See who did it</a>
        </Empty>
      ) : (
        <Details {...props} />
      )}
    </Drawer>
  );
}

function Details({ link, onCheck, onAcknowledge, onMute, menu }: PeekProps) {
  const detail = useQuery(linkOptions(link.id));
  const canWrite = useCanWrite();
  const off = useOff();
  return (
    <>
      {canWrite && (
        <div class="deeds">
          <Button icon={RefreshCw} keys="R" off={off} onClick={onCheck}>
            Check now
          </Button>
          {link.status !== "active" && (
            <Button icon={CircleCheck} keys="E" off={off} onClick={onAcknowledge}>
              {link.handling === "acknowledged" ? "Reopen" : "Acknowledge"}
            </Button>
          )}
          <Button icon={BellOff} keys="S" off={off} onClick={onMute}>
            Mute
          </Button>
          {menu}
        </div>
      )}
      <Loaded query={detail}>
        {(found) => {
          const seen = seenOf(found);
          return (
            <>
              <ReplaceWith key={found.id} link={found} />
              {seen ? <Evidence seen={seen} /> : <p class="hint">{explain(found)}</p>}
            </>
          );
        }}
      </Loaded>
      {link.sources > 0 && !link.accepted_url && (
        <>
          <h3>Found on</h3>
          <FoundOn key={link.id} link={link.id} few={3} />
        </>
      )}
      {link.strip && link.strip.length > 0 && (
        <>
          <h3>30 days</h3>
          <Strip runs={link.strip} days={30} size="full" label={stripLabel(link.strip)} />
        </>
      )}
    </>
  );
}

const Evidence = ({ seen }: { seen: Seen }) => (
  <>
    <h3>Evidence</h3>
    <Report seen={seen} />
  </>
);

const Head = ({ link, onPrevious, onNext, onOpen, onClose }: PeekProps) => (
  <>
    <span class="state-word">
      <State status={shapeOf(link)} word />
      {link.last_check && (
        <span class="soft">
          <Moment at={link.status_changed_at} lasting />
        </span>
      )}
    </span>
    <span class="gap" />
    <IconButton icon={ArrowUp} label="Previous link" keys="K" onClick={onPrevious} />
    <IconButton icon={ArrowDown} label="Next link" keys="J" onClick={onNext} />
    <IconButton icon={Maximize2} label="Open as a page" keys="Enter" onClick={onOpen} />
    <IconButton icon={X} label="Close" keys="Esc" onClick={onClose} />
  </>
);
