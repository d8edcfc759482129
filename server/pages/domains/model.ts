import * as z from "zod";
import { optionalText, paging, queryNumber } from "../../ground/lib/fields.ts";
import type { LinkDomain } from "../../links/domains/facts.ts";
import { ShownDomain, toShownDomain } from "../../links/domains/model.ts";

/** A registrable domain with the links of an account, those of its subdomains included. */
export type DomainOfAccount = LinkDomain & { links: number };

export const Domain = ShownDomain.extend({ links: z.int().meta({ example: 12 }) }).meta({
  id: "Domain",
});

export const toDomain = (row: DomainOfAccount): z.infer<typeof Domain> => ({
  ...toShownDomain(row),
  links: row.links,
});

export const DomainQuery = z.object({
  expiring: queryNumber(365)
    .meta({ description: "Only domains whose registration expires within so many days." })
    .optional(),
  search: optionalText(255)
    .meta({ description: "Only domains whose name contains this text, ignoring case." })
    .optional(),
  ...paging(50),
});
export type DomainQuery = z.output<typeof DomainQuery>;
