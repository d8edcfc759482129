import { Download, Trash2 } from "lucide-preact";
import { type Backup, downloadHref } from "../lib/backups.ts";
import { sizeText } from "../lib/size.ts";
import { minuteTime } from "../lib/time.ts";
import { Fold } from "./fold.tsx";
import { IconButton } from "./icon-button.tsx";
import { Moment } from "./moment.tsx";

/** More are shown when somebody asks. */
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
