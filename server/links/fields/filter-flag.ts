import * as z from "zod";

/** Of a filter, which is an object in a body, and in a query has words. */
export const filterFlag = () =>
  z
    .union([z.boolean(), z.enum(["true", "false"]).transform((word) => word === "true")], {
      error: "must be true or false",
    })
    .meta({ type: "boolean", anyOf: undefined });
