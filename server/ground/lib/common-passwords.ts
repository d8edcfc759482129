import list from "./common-passwords.txt" with { type: "text" };

/**
 * Of the commonest passwords (Mark Burnett's list of ten million, in the public domain) those that are
 * long enough to be chosen here, in lower case: the 10,000 commonest of 8 to 14 characters, and all of the
 * million commonest that have more, which are about as many.
 */
const common = new Set(list.split("\n"));

/** Whether the password is among the commonest, letters of either case alike. */
export const isCommon = (password: string) => common.has(password.toLowerCase());
