import { RequestFailed } from "../lib/api.ts";

/** Why a form was refused, unless all of it is told beside the form's own fields. */
export function Problem({ error, fields = [] }: { error: Error | null; fields?: string[] }) {
  return (
    <div role="alert" class="problem-place">
      {error && isUntold(error, fields) && <p class="problem">{sentenceOf(error, fields)}</p>}
    </div>
  );
}

const isUntold = (error: Error, fields: string[]) =>
  untoldFields(error, fields).length > 0 || Object.keys(fieldsOf(error)).length === 0;

function sentenceOf(error: Error, fields: string[]): string {
  const untold = untoldFields(error, fields).map(
    ([name, problems]) => `${name}: ${problems.join(", ")}.`,
  );
  return [error.message, ...untold].join(" ");
}

const untoldFields = (error: Error, fields: string[]) =>
  Object.entries(fieldsOf(error)).filter(([name]) => !fields.includes(name));

const fieldsOf = (error: Error) => (error instanceof RequestFailed ? error.fields : {});

/** What is wrong with one field, in the server's words. */
export const problemOf = (error: Error | null, field: string): string | undefined =>
  error ? fieldsOf(error)[field]?.join(", ") : undefined;
