import * as z from "zod";
import { toIsoOrNull } from "../../ground/lib/moments.ts";
import { DOMAIN_STATES } from "../../ground/lib/vocabulary.ts";
import type { LinkDomain } from "./facts.ts";

const moment = () => z.string().meta({ format: "date-time" }).nullable();

export const ShownDomain = z.object({
  name: z.string().meta({ example: "example.com" }),
  state: z.enum(DOMAIN_STATES).meta({
    description:
      "What its registry said: `absent` has no such domain, `not_available` has no server that can be asked.",
    example: "known",
  }),
  registered_at: moment().meta({ example: "2009-05-03T00:00:00.000Z" }),
  expires_at: moment().meta({ example: "2031-05-03T00:00:00.000Z" }),
  checked_at: moment(),
});

export const toShownDomain = (domain: LinkDomain): z.infer<typeof ShownDomain> => ({
  name: domain.name,
  state: domain.state,
  registered_at: toIsoOrNull(domain.registeredAt),
  expires_at: toIsoOrNull(domain.expiresAt),
  checked_at: toIsoOrNull(domain.checkedAt),
});
