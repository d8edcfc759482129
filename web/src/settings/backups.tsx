import { useMutation, useQueryClient } from "@tanstack/preact-query";
import {
  Archive,
  CircleCheck,
  DatabaseBackup,
  Download,
  LoaderCircle,
  Trash2,
  TriangleAlert,
} from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { api, complete, unwrap } from "../data/api.ts";
import { clockText, sizeText, startUpper } from "../data/format.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { useToast } from "../frame/toast.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Problem } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Copyable } from "../ui/secrets.tsx";
import { Heading } from "../ui/section.tsx";
import { Line, Trouble } from "./parts.tsx";
import { BACKUPS, type Backup, type BackupState, useBackups } from "./queries.ts";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Server", place: 1, name: "Backups", icon: Archive };

/** The copies of the database: their state, and making, downloading and deleting them. */
export default function BackupsSection() {
  const backups = useBackups();
  const making = useBackupRun(backups.data);
  const begin = backups.data?.folder && (
    <Button primary icon={DatabaseBackup} busy={making.isBusy} onClick={making.begin}>
      Back up now
    </Button>
  );
  return (
    <>
      <Heading title="Backups" action={begin}>
        {backups.data?.folder && <Advice state={backups.data} />}
      </Heading>
      <Loaded query={backups}>
        {(state) =>
          state.folder === null ? (
            <DumpAdvice />
          ) : (
            <>
              <Head state={state} />
              <Problem error={making.error} />
              {state.items.length > 0 && <List backups={state.items} />}
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** Starts a backup, and shows its result when it is finished. */
function useBackupRun(state: BackupState | undefined) {
  const toast = useToast();
  const client = useQueryClient();
  const [isAwaited, setAwaited] = useState(false);
  const start = useMutation({
    mutationFn: () => unwrap(api.admin.backups.post()),
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

const Head = ({ state }: { state: BackupState }) => (
  <div class="health" role="status">
    {state.problem && <Trouble>{state.problem}</Trouble>}
    <p>
      <StateIcon state={state} />
      <span>
        {state.is_under_way && "A backup is being created and verified. "}
        {state.last_success_at ? "The last one succeeded " : "No backups yet"}
        {state.last_success_at && <Moment at={state.last_success_at} />}. <Next state={state} />
      </span>
    </p>
  </div>
);

/** A backup that is overdue has failed; the server retries it. */
function Next({ state }: { state: BackupState }) {
  const { schedule, next_at: at, is_under_way: isUnderWay } = state;
  if (!schedule) {
    return (
      <>
        Automatic backups are off. Set <code>STILLUP_BACKUP_CRON</code> to turn them on.
      </>
    );
  }
  if (at === null || isUnderWay) return null;
  if (Date.parse(at) < Date.now()) return <>The next attempt is within the hour.</>;
  return (
    <>
      The next one is due <Moment at={at} />.
    </>
  );
}

function StateIcon({ state }: { state: BackupState }) {
  if (state.is_under_way) return <LoaderCircle class="i ring" aria-hidden="true" />;
  const isGood = state.last_success_at !== null && state.problem === null;
  if (isGood) return <CircleCheck class="i is-good" aria-hidden="true" />;
  return <TriangleAlert class="i is-bad" aria-hidden="true" />;
}

const Advice = ({ state }: { state: BackupState }) => (
  <>
    Kept in <code>{state.folder}</code>: one for each of the last {state.days_kept} days and of the
    last 4 weeks. Copy them to another machine too, and keep <code>secret.key</code> apart from
    them. <code>stillup restore</code> restores one.
  </>
);

const DumpAdvice = () => (
  <div class="panel in-place">
    <p>
      Back up PostgreSQL with <code>pg_dump</code>, which works while it is in use. Run it
      regularly, and copy <code>secret.key</code> of the data folder once: it decrypts the secrets
      of alerts and second factors.
    </p>
    <Copyable
      label="Command"
      value={`pg_dump --format=custom --file=stillup.dump "$STILLUP_DATABASE_URL"`}
    />
  </div>
);

/** The others show on request. */
const MOST_SHOWN = 14;

function List({ backups }: { backups: Backup[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? backups : backups.slice(0, MOST_SHOWN);
  return (
    <>
      <ul class="panel lines" aria-label="Backups">
        {shown.map((backup) => (
          <BackupLine key={backup.name} backup={backup} />
        ))}
      </ul>
      {shown.length < backups.length && (
        <p class="form-foot">
          <Button onClick={() => setShowsAll(true)}>Show all {backups.length}</Button>
        </p>
      )}
    </>
  );
}

function BackupLine({ backup }: { backup: Backup }) {
  const { name, kind, made_at: at, bytes } = backup;
  const of = `the backup of ${clockText(at, Date.now())}`;
  const [isUnwanted, setUnwanted] = useState(false);
  return (
    <Line
      title={
        <>
          <b>{startUpper(clockText(at, Date.now()))}</b>
          {kind === "before_upgrade" && <span class="chip">Before an upgrade</span>}
        </>
      }
      hint={
        <>
          <Moment at={at} />, {sizeText(bytes)}, verified
        </>
      }
    >
      <Button icon={Download} href={`/dashboard/api/admin/backups/${name}`} download>
        Download<span class="unseen"> {of}</span>
      </Button>
      <IconButton icon={Trash2} label={`Delete ${of}`} onClick={() => setUnwanted(true)} />
      {isUnwanted && <DeleteBackup backup={backup} onClose={() => setUnwanted(false)} />}
    </Line>
  );
}

const DeleteBackup = ({ backup, onClose }: Closable & { backup: Backup }) => (
  <Ask
    title="Delete this backup?"
    action="Delete backup"
    danger
    send={() => complete(api.admin.backups({ name: backup.name }).delete())}
    said="The backup was deleted."
    renews={[BACKUPS]}
    onClose={onClose}
  >
    <p>
      <b>
        {startUpper(clockText(backup.made_at, Date.now()))}, {sizeText(backup.bytes)}
      </b>
    </p>
    <p>Data of that time can then be restored only from another copy.</p>
  </Ask>
);
