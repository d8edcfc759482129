import * as z from "zod";

export const Service = z
  .object({
    id: z.string().meta({ example: "youtube" }),
    name: z.string().meta({ example: "YouTube" }),
  })
  .meta({ id: "Service" });

/** What every link is filed under that no service owns. */
const GENERIC = { id: "generic", name: "Any other site" };

type Named = z.infer<typeof Service>;

/** All ids that a link's `service` can have, in alphabetical order. */
export const toServices = (services: readonly Named[]): Named[] =>
  [GENERIC, ...services.map(({ id, name }) => ({ id, name }))].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
