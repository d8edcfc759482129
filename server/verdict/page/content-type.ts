/** Whether a type is worth reading. Without a type it may be a page. */
export const isText = (contentType: string | null) =>
  contentType === null || /^\s*$|text\/|\b(xml|json|xhtml|javascript)\b/i.test(contentType);

/** Whether a type is that of a page, which it may be without any. */
export const isPage = (contentType: string | null) =>
  contentType === null || /^\s*$|html/i.test(contentType);
