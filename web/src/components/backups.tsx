import { CircleCheck, Download, LoaderCircle, Trash2, TriangleAlert } from "lucide-preact";
import { type Backup, type BackupState, downloadHref } from "../lib/admin.ts";
import { minuteTime, sizeText } from "../lib/format.ts";
import { IconButton, Moment } from "./elements.tsx";
import { Fold } from "./lists.tsx";
import { Copyable } from "./secret.tsx";

export const BackupHead = ({ state }: { state: BackupState }) => (
  <div class="backup-head" role="status">
    {state.problem && <BackupProblem problem={state.problem} />}
    <p class="backup-line">
      <StateIcon state={state} />
      <span>
        {state.is_under_way && "A backup is being created and verified. "}
        {state.last_success_at ? (
          <>
            The last one succeeded <Moment at={state.last_success_at} />.{" "}
          </>
        ) : (
          "There are no backups yet. "
        )}
        <Next state={state} />
        {!state.schedule && "Automatic backups are off: STILLUP_BACKUP_CRON is empty."}
      </span>
    </p>
  </div>
);

/** A backup that is overdue has failed; the server retries it. */
function Next({ state: { next_at: at, is_under_way: isUnderWay } }: { state: BackupState }) {
  if (at === null || isUnderWay) return null;
  if (Date.parse(at) < Date.now()) return <>The next attempt is within the hour.</>;
  return (
    <>
      The next is due <Moment at={at} />.
    </>
  );
}

function StateIcon({ state }: { state: BackupState }) {
  if (state.is_under_way) return <LoaderCircle class="turning" aria-hidden="true" />;
  const isGood = state.last_success_at !== null && state.problem === null;
  if (isGood) return <CircleCheck class="text-good" aria-hidden="true" />;
  return <TriangleAlert class="text-unsure" aria-hidden="true" />;
}

const BackupProblem = ({ problem }: { problem: string }) => (
  <p class="notice notice-warn">
    <TriangleAlert aria-hidden="true" />
    {problem}
  </p>
);

export const BackupAdvice = ({ state }: { state: BackupState }) => (
  <p class="hint">
    They are kept in <code>{state.folder}</code>: one of each of the last {state.days_kept} days and
    of the last 4 weeks. Keep copies on another machine as well, and <code>secret.key</code> apart
    from them. <code>stillup restore</code> brings one back.
  </p>
);

export const DumpAdvice = () => (
  <>
    <p>
      Back up PostgreSQL with pg_dump, which works while it is in use. Run it regularly, and copy{" "}
      <code>secret.key</code> of the data folder once: it decrypts the secrets of webhooks and
      second factors.
    </p>
    <Copyable
      label="Command"
      value={`pg_dump --format=custom --file=stillup.dump "$STILLUP_DATABASE_URL"`}
      rows={1}
    />
  </>
);

/** The others show on request. */
const MOST_SHOWN = 5;

type BackupListProps = { backups: Backup[]; onDelete: (backup: Backup) => void };

export const BackupList = ({ backups, onDelete }: BackupListProps) => (
  <ul class="backup-list" aria-label="Backups">
    <Fold items={backups} most={MOST_SHOWN}>
      {(backup) => (
        <li key={backup.name}>
          <div class="what">
            <p class="name">
              {minuteTime(backup.made_at)}{" "}
              {backup.kind === "before_upgrade" && <span class="tag">before an upgrade</span>}
            </p>
            <p class="why">
              <Moment at={backup.made_at} />, {sizeText(backup.bytes)}, verified
            </p>
          </div>
          <div class="deeds">
            <a
              class="button icon"
              href={downloadHref(backup)}
              download
              aria-label={`Download the backup of ${minuteTime(backup.made_at)}`}
              title="Download"
            >
              <Download aria-hidden="true" />
            </a>
            <IconButton
              label={`Delete the backup of ${minuteTime(backup.made_at)}`}
              title="Delete"
              icon={Trash2}
              onClick={() => onDelete(backup)}
            />
          </div>
        </li>
      )}
    </Fold>
  </ul>
);
