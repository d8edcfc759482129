/** Pages of parking services, as they make them for a domain. */

/** Sedo's: advertisements, filled in by its script. */
export const sedo = (domain = "site.test") =>
  `<!DOCTYPE html><html lang="en"><head><title>${domain}&nbsp;-&nbsp;Diese Website steht f\u00fcr Werbung bereit</title></head>
  <body><div id="content"><h1>${domain}</h1><p>Related searches</p><ul><li>Web hosting</li><li>Insurance</li><li>Flights</li></ul></div>
  <script src="//sedoparking.com/frmpark/${domain}/sedonewreg/park.js"></script></body></html>`;

/** Bodis's: a shell whose script draws the rest. */
export const bodis = (domain = "site.test") =>
  `<!doctype html><html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANDrp2lz7AOmADaN8tA50LsWcjLFyQFcb/P2Txc58oYOeILb3vBw7J6f4pamkAQVSQuqYsKx3YzdUHCvbVZvFUsCAwEAAQ==_ab" lang="en" style="background: #2B2B2B;">
  <head><meta charset="utf-8"><title>${domain}</title></head><body><div id="target" style="opacity: 0"></div>
  <script>window.park = "eyJ1dWlkIjoiNDk5MDE1NDQtMTJlZi00YWQzIiwicGFnZV90aW1lIjoxNzEwNTI2ODY5fQ==";</script></body></html>`;

/** Only the shell's script, which some hosts serve without the attribute. */
export const bodisScript = (domain = "site.test") =>
  bodis(domain).replace(/ data-adblockkey="[^"]*"/, "");

export const parkingCrew = (domain = "site.test") =>
  `<!DOCTYPE html><html><head><title>${domain}</title>
  <link rel="stylesheet" href="http://d38psrni17bvxu.cloudfront.net/themes/assets/style.css"></head>
  <body><h1>${domain}</h1><p>Sponsored listings: Cars, Loans, Holidays</p><p>2030 Copyright. All Rights Reserved.</p></body></html>`;

/** GoDaddy's: nothing but a way on. */
export const goDaddy = () =>
  '<!DOCTYPE html><html><head><script>window.onload=function(){window.location.href="/lander"}</script></head></html>';

/** What that leads to. */
export const goDaddyLander = () =>
  `<!doctype html><html lang="en"><head><script>window.LANDER_SYSTEM="PW"</script>
  <script defer="defer" src="https://img1.wsimg.com/parking-lander/static/js/main.2de80224.js"></script></head>
  <body><div id="root"></div></body></html>`;

export const hugeDomains = (domain = "site.test") =>
  `<!doctype html><html><head><title>${domain} is for sale | HugeDomains</title></head>
  <body><h1>${domain}</h1><p>This domain is for sale: $2,895</p><p>Take immediate ownership. Pay over time.</p></body></html>`;

/** A sale page that names no service. */
export const forSale = (words: string, text = "Get a price in less than 24 hours.") =>
  `<!doctype html><html><head><title>${words}</title></head><body><h1>${words}</h1><p>${text}</p></body></html>`;

/** Parks nothing that the outside can tell by words: "Welcome" and a list of links. */
export const linkList = (domain = "site.test") =>
  `<!doctype html><html><head><title>${domain}</title></head><body><h1>${domain}</h1><p>Web hosting, insurance, flights</p></body></html>`;
