import { optionalText } from "../../ground/lib/fields.ts";
import { textField } from "./text-field.ts";

export const title = textField({
  name: "title",
  key: "title",
  input: optionalText(200),
  isListed: true,
  isSearched: true,
  example: "Handbook",
});
