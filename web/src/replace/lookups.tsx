import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { OWN_ACCOUNT, setArchive } from "../data/repair.ts";
import { useUser } from "../data/session.ts";
import { useOffline, useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import "./replace.css";

const DECLINED = "stillup-lookups-declined";

/** What an archive learns. */
export const REVEALED =
  "When a link dies, the Wayback Machine is asked for a copy of its URL, so it learns that you watch it. URLs of private hosts, and URLs that may contain a token or a password, are not sent.";

/** Offers archive lookups to an owner until they decide; others read that they are off. */
export function LookupsOffer() {
  const isOwner = useUser().role === "owner";
  const { data: account } = useQuery(OWN_ACCOUNT);
  const { off } = useOffline();
  const [isDeclined, setDeclined] = useState(() => localStorage.getItem(DECLINED) !== null);
  const save = useSave({
    change: () => setArchive({ archive_lookup: true }),
    said: "Archive lookups are on.",
    undo: () => setArchive({ archive_lookup: false }),
    renews: [["account"], ["links"]],
  });
  if (account?.archive_lookup !== "off") return null;
  if (!isOwner) return <p class="hint">Archive lookups are off. Ask an owner to turn them on.</p>;
  if (isDeclined)
    return (
      <p class="hint">
        Archive lookups are off. <a href="/settings/archives">Settings</a>
      </p>
    );
  const decline = () => {
    localStorage.setItem(DECLINED, "1");
    setDeclined(true);
  };
  return (
    <aside class="fix-offer" aria-label="Archive lookups">
      <p>
        <b>Look for archived copies?</b>
      </p>
      <p class="hint">{REVEALED}</p>
      <div class="deeds">
        <Button off={off} busy={save.isPending} onClick={() => save.mutate()}>
          Turn on
        </Button>
        <Button quiet onClick={decline}>
          Not now
        </Button>
      </div>
    </aside>
  );
}
