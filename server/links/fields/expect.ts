import { type Expect, ExpectBody } from "../../judge/expectations.ts";
import { field } from "./field.ts";

const INPUT = { expect: ExpectBody.nullable().optional() };

type Part = { expect: Expect | null };

export const expect = field({
  columns: { expect: "text" },
  read: ({ expect }): Part => ({ expect: expect == null ? null : JSON.parse(expect as string) }),
  write: ({ expect }) => ({ expect: expect && JSON.stringify(expect) }),
  isListed: false,
  shown: { expect: ExpectBody.nullable() },
  example: { expect: null },
  show: ({ expect }) => ({ expect }),
  creating: INPUT,
  changing: INPUT,
  after: (_before, { expect }) => (expect === undefined ? undefined : { expect }),
  compared: { expect: ({ expect }) => expect },
  declared: ({ expect }) => ({ expect }),
});
