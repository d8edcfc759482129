import { lines } from "../../ground/lib/fields.ts";
import { textField } from "./text-field.ts";

export const note = textField({
  name: "note",
  key: "note",
  input: lines(2000),
  isListed: false,
  example: "",
});
