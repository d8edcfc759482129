import list from "./common-passwords.txt" with { type: "text" };

/**
 * All of the million commonest passwords (Mark Burnett's list of ten million, in the public domain)
 * that are long enough to be chosen here, about 10,000, in lower case.
 */
const common = new Set(list.split("\n"));

/** Whether the password is among the commonest, letters of either case alike. */
export const isCommon = (password: string) => common.has(password.toLowerCase());
