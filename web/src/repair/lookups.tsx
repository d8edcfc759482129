import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { ARCHIVE, REVEALED, setArchive } from "../data/repair.ts";
import { useUser } from "../data/session.ts";
import { useOffline, useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";

const LATER = "stillup-archive-later";

/** Offers an owner to turn archive lookups on, until they decide. */
export function LookupsOffer() {
  const isOwner = useUser().role === "owner";
  const { data: archive } = useQuery({ ...ARCHIVE, enabled: isOwner });
  const { off } = useOffline();
  const [isLater, setLater] = useState(() => localStorage.getItem(LATER) !== null);
  const save = useSave({
    change: (isOn: boolean) => setArchive({ archive_lookup: isOn }),
    said: "Archive lookups are on.",
    undo: () => setArchive({ archive_lookup: false }),
    renews: [["account"], ["links"]],
  });
  if (!archive || archive.isForbidden || archive.archive_lookup || isLater) return null;
  const decline = () => {
    localStorage.setItem(LATER, "1");
    setLater(true);
  };
  return (
    <aside class="fix-offer" aria-label="Archive lookups">
      <p>
        <b>Look for archived copies?</b>
      </p>
      <p class="hint">{REVEALED}</p>
      <div class="deeds">
        <Button off={off} busy={save.isPending} onClick={() => save.mutate(true)}>
          Turn on
        </Button>
        <Button quiet onClick={decline}>
          Not now
        </Button>
      </div>
    </aside>
  );
}
