type Parts = { head?: string; main?: string };

const MENU = ["New in", "Women", "Men", "Children", "Shoes", "Bags", "Sale", "Stores", "Journal"]
  .map((name) => `<li><a href="/${name.toLowerCase()}">${name} and everything in it</a></li>`)
  .join("");

/** A shop or a forum with all that stands around its pages. */
export const layout = (title: string, heading: string, { head = "", main = "" }: Parts = {}) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head>
  <body class="has-sidebar"><div class="cookie-bar"><p>We use cookies and similar technologies to run this site, to
  measure how it is used and to show what may interest you. You can change your choice at any time.</p></div>
  <header><ul class="menu">${MENU}${MENU}${MENU}${MENU}${MENU}</ul></header><main>${heading === "" ? "" : `<h1>${heading}</h1>`}${main}</main>
  <div class="club"><p>Join the club: free delivery on all orders above fifty euros, returns within a hundred days, and
  news of what comes next, once a month and never more. You can leave whenever you like.</p></div>
  <footer><ul>${MENU}</ul><p>© The Harbour Stores, 12 Quay Street. All prices include taxes. Pictures may differ from
  what is delivered. Opening hours: Monday to Saturday from nine to seven, and on Sundays before Christmas.</p></footer>
  </body></html>`;

/** A short page without anything around it. */
export const plain = (title: string, heading = title, main = "", head = "") =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><nav><a href="/">Home</a></nav><h1>${heading}</h1>${main}</body></html>`;
