import { CircleCheck, LoaderCircle, TriangleAlert } from "lucide-preact";
import type { BackupState } from "../lib/backups.ts";
import { Moment } from "./moment.tsx";
import { Copyable } from "./secret.tsx";

/** In one line how the backups are, and what is wrong with them above it. */
export const BackupHead = ({ state }: { state: BackupState }) => (
  <div class="backup-head" role="status">
    {state.problem && <BackupProblem problem={state.problem} />}
    <p class="backup-line">
      <StateIcon state={state} />
      <span>
        {state.is_under_way && "A backup is being made and verified. "}
        {state.last_success_at ? (
          <>
            The last one succeeded <Moment at={state.last_success_at} />.{" "}
          </>
        ) : (
          "None has been made yet. "
        )}
        <Next state={state} />
        {!state.schedule && "Automatic backups are off: STILLUP_BACKUP_CRON is empty."}
      </span>
    </p>
  </div>
);

/** One that is due and not there has failed, and is made up. */
function Next({ state: { next_at: at, is_under_way: isUnderWay } }: { state: BackupState }) {
  if (at === null || isUnderWay) return null;
  if (Date.parse(at) < Date.now()) return <>The next is tried within the hour.</>;
  return (
    <>
      The next is due <Moment at={at} />.
    </>
  );
}

function StateIcon({ state }: { state: BackupState }) {
  if (state.is_under_way) return <LoaderCircle class="turning" aria-hidden="true" />;
  const isGood = state.last_success_at !== null && state.problem === null;
  if (isGood) return <CircleCheck class="good" aria-hidden="true" />;
  return <TriangleAlert class="unsure" aria-hidden="true" />;
}

const BackupProblem = ({ problem }: { problem: string }) => (
  <p class="notice notice-warn">
    <TriangleAlert aria-hidden="true" />
    {problem}
  </p>
);

/** For administrators, where they look first. */
export const BackupNotice = ({ problem }: { problem: string }) => (
  <div class="notice notice-warn overview-notice" role="status">
    <TriangleAlert aria-hidden="true" />
    <p>
      {problem} <a href="/admin#backups">See the backups</a>
    </p>
  </div>
);

/** Where they are, how long they stay, and what they do not save from. */
export const BackupAdvice = ({ state }: { state: BackupState }) => (
  <p class="hint">
    They are kept in <code>{state.folder}</code>: one of each of the last {state.days_kept} days and
    of the last 4 weeks. Keep copies on another machine as well, and <code>secret.key</code> apart
    from them. <code>stillup restore</code> brings one back.
  </p>
);

/** PostgreSQL is copied by its own program. */
export const DumpAdvice = () => (
  <>
    <p>
      PostgreSQL copies itself, also while it is in use. Let a timer do it, and copy{" "}
      <code>secret.key</code> of the data folder once: it opens the webhooks' secrets and the second
      factors.
    </p>
    <Copyable
      label="Command"
      value={`pg_dump --format=custom --file=stillup.dump "$STILLUP_DATABASE_URL"`}
      rows={1}
    />
  </>
);
