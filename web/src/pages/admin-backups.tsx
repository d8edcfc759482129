import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { DatabaseBackup } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { BackupAdvice, BackupHead, BackupList, DumpAdvice } from "../components/backups.tsx";
import { Confirm } from "../components/dialog.tsx";
import { Problem } from "../components/form.tsx";
import { Loaded } from "../components/states.tsx";
import { useToast } from "../components/toast.tsx";
import { useDialogChange } from "../components/use-change.ts";
import {
  BACKUPS,
  type Backup,
  type BackupState,
  beginBackup,
  deleteBackup,
  useBackups,
} from "../lib/admin.ts";
import { minuteTime, sizeText } from "../lib/format.ts";

export function BackupsSection() {
  const backups = useBackups();
  const making = useBackupRun(backups.data);
  const [unwanted, setUnwanted] = useState<Backup | null>(null);
  return (
    <section id="backups">
      <header class="page-head">
        <h2>Backups</h2>
        {backups.data?.folder && (
          <button type="button" disabled={making.isBusy} onClick={making.begin}>
            <DatabaseBackup aria-hidden="true" />
            Back up now
          </button>
        )}
      </header>
      <div class="card backups">
        <Loaded query={backups}>
          {(state) =>
            state.folder === null ? (
              <DumpAdvice />
            ) : (
              <>
                <BackupHead state={state} />
                <Problem error={making.error} />
                {state.items.length > 0 && (
                  <BackupList backups={state.items} onDelete={setUnwanted} />
                )}
                <BackupAdvice state={state} />
              </>
            )
          }
        </Loaded>
      </div>
      {unwanted && <DeleteBackup backup={unwanted} onClose={() => setUnwanted(null)} />}
    </section>
  );
}

/** Starts a backup, and shows its result when it is finished. */
function useBackupRun(state: BackupState | undefined) {
  const toast = useToast();
  const client = useQueryClient();
  const [isAwaited, setAwaited] = useState(false);
  const start = useMutation({
    mutationFn: beginBackup,
    onSuccess: (begun) => {
      client.setQueryData(BACKUPS, begun);
      setAwaited(true);
    },
    // An earlier fetch may show an outdated state, and another administrator may have started a backup.
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  });
  const isUnderWay = state?.is_under_way ?? false;
  useEffect(() => {
    if (!isAwaited || isUnderWay) return;
    setAwaited(false);
    toast(state?.problem ? "The backup failed." : "The backup was created and verified.");
  }, [isAwaited, isUnderWay, state, toast]);
  return { begin: () => start.mutate(), error: start.error, isBusy: start.isPending || isUnderWay };
}

function DeleteBackup({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const deletion = useDialogChange({
    change: () => deleteBackup(backup.name),
    said: "The backup was deleted.",
    renews: [BACKUPS],
    onDone: onClose,
  });
  return (
    <Confirm title="Delete this backup?" action="Delete backup" change={deletion} onClose={onClose}>
      <p class="name">
        {minuteTime(backup.made_at)}, {sizeText(backup.bytes)}
      </p>
      <p>Data of that time can then be restored only from another copy.</p>
    </Confirm>
  );
}
