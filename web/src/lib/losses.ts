import { counted } from "./counted.ts";

/** What an account takes along when it is deleted: "1 link goes". */
export const linksGo = (count: number) =>
  `${counted(count, "link")} ${count === 1 ? "goes" : "go"}`;

/** "12 people lose", to be followed by what. */
export const peopleLose = (count: number) =>
  count === 1 ? "1 person loses" : `${count} people lose`;
