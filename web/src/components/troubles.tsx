import { TriangleAlert } from "lucide-preact";
import type { Installation } from "../lib/admin.ts";
import { Moment } from "./moment.tsx";

/** What is wrong with the installation as a whole, and what to do; of backups their own section tells. */
export const Troubles = ({ troubles }: Pick<Installation, "troubles">) => (
  <div class="troubles" role="alert">
    {troubles.filter(isToldHere).map(({ name, message, since }) => (
      <div key={name} class="notice notice-warn">
        <TriangleAlert aria-hidden="true" />
        <div>
          <strong>{TITLES[name]}</strong>
          <p>{message}</p>
          <p class="hint">
            Since <Moment at={since} />
          </p>
        </div>
      </div>
    ))}
  </div>
);

type Trouble = Installation["troubles"][number];
type ToldHere = Trouble & { name: Exclude<Trouble["name"], "backup_failed"> };

const isToldHere = (trouble: Trouble): trouble is ToldHere => trouble.name !== "backup_failed";

const TITLES: Record<ToldHere["name"], string> = {
  disk_full: "The disk is full",
  database_damaged: "The database is damaged",
  data_folder_gone: "The data folder is missing",
  unhandled_error: "An unexpected error occurred",
};
