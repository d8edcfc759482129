/** What is posted: the body, and what has to stand in the head beside the signature. */
export type Posted = {
  body: string;
  headers: Record<string, string>;
  /** Where it goes, if that is not just the webhook's URL. */
  url?: string;
};

export const jsonPosted = (body: string): Posted => ({
  body,
  headers: { "content-type": "application/json" },
});
