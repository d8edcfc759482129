import { describe, expect } from "bun:test";
import { eachRow } from "../each-row.ts";
import { readPage } from "./read-page.ts";

const routeOf = (html: string) => readPage(html, "text/html").missingRoute;
const script = (text: string, attributes = "") => `<script${attributes}>${text}</script>`;
const SHOWN = "<p>We looked everywhere, and found nothing at this address.</p>";

const next = (state: object) =>
  `<div id="__next">${SHOWN}</div>${script(JSON.stringify(state), ' id="__NEXT_DATA__" type="application/json"')}`;
const nuxt = (values: unknown[]) =>
  script(
    JSON.stringify(values),
    ' type="application/json" data-nuxt-data="nuxt-app" data-ssr="true"',
  );
const stream = (values: unknown[], name = "reactRouter") =>
  script(
    `window.__${name}Context.streamController.enqueue(${JSON.stringify(`${JSON.stringify(values)}\n`)});`,
  );
const kit = (fields: string) =>
  script(`{ __sveltekit_1 = { base: "" };
    const element = document.currentScript.parentElement;
    Promise.all([import("./start.js"), import("./app.js")]).then(([kit, app]) => {
      kit.start(app, element, {
        node_ids: [0, 1],
        ${fields}
      });
    }); }`);

const NOT_FOUND = {
  data: "",
  internal: false,
  status: 404,
  statusText: "Not Found",
  __type: "RouteErrorResponse",
};
/** As React Router streams it: the error of one route, with what a loader returned. */
const ROUTED = (status: number) => [
  { _1: 2, _7: -5, _3: 4 },
  "loaderData",
  { _8: 9 },
  "errors",
  { _5: 6 },
  "routes/article",
  ["ErrorResponse", 10, 11, 12],
  "actionData",
  "root",
  { _12: 11 },
  "nothing",
  status,
  "Not Found",
];

describe("The state of a page says that its route is missing:", () => {
  eachRow([
    [
      "Next, its page for missing ones",
      next({ props: { pageProps: {} }, page: "/404", query: {} }),
      "Next.js",
    ],
    [
      "Next, its error page",
      next({ props: { pageProps: { statusCode: 404 } }, page: "/_error" }),
      "Next.js",
    ],
    [
      "Next, a boundary",
      '<!--$!--><template data-dgst="NEXT_HTTP_ERROR_FALLBACK;404"></template>',
      "Next.js",
    ],
    ["Next 14, a boundary", '<template data-dgst="NEXT_NOT_FOUND"></template>', "Next.js"],
    [
      "Remix",
      script(
        `window.__remixContext = ${JSON.stringify({ url: "/x", state: { loaderData: { root: { a: "};" } }, errors: { "routes/a": NOT_FOUND } } })};`,
      ),
      "Remix",
    ],
    [
      "Remix 1",
      script(
        `window.__remixContext = {"appState":{"error":undefined,"catch":{"status":404}}};`.replace(
          "undefined",
          "null",
        ),
      ),
      "Remix",
    ],
    ["Remix, streamed", stream(ROUTED(404), "remix"), "React Router"],
    ["React Router 7, streamed", stream(ROUTED(404)), "React Router"],
    [
      "React Router 6",
      script(
        `window.__staticRouterHydrationData = JSON.parse(${JSON.stringify(JSON.stringify({ loaderData: {}, errors: { 0: NOT_FOUND } }))});`,
      ),
      "React Router",
    ],
    [
      "SvelteKit",
      kit('data: [null,null], form: null, error: {message:"Not found: \\"/a\\""}, status: 404'),
      "SvelteKit",
    ],
    [
      "SvelteKit 1",
      script(
        "start({ hydrate: { status: 404, error: {message:'Not Found'}, node_ids: [0, 1] } });",
      ),
      "SvelteKit",
    ],
    [
      "Nuxt 3",
      nuxt([
        ["ShallowReactive", 1],
        { data: 2, error: 3 },
        {},
        ["NuxtError", 4],
        { statusCode: 5, message: 6 },
        404,
        "Page not found: /a",
      ]),
      "Nuxt",
    ],
    ["Nuxt 4", nuxt([{ error: 1 }, { status: 2 }, 404]), "Nuxt"],
    [
      "Nuxt 2",
      script(
        'window.__NUXT__={layout:"default",data:[{}],error:{statusCode:404,message:"No"},serverRendered:!0}',
      ),
      "Nuxt",
    ],
    [
      "Nuxt 2, shortened",
      script(
        'window.__NUXT__=(function(a,b,c){return {layout:"default",data:[{b:a}],error:{statusCode:b,message:c},state:{}}}("x, y)",404,"No"));',
      ),
      "Nuxt",
    ],
  ])("in the words of each framework", (_, html, framework) => {
    expect(routeOf(`<title>A shop</title>${html}`)).toBe(framework);
  });
});

describe("The state of a page does not say that its route is missing:", () => {
  eachRow([
    [
      "Next, its data about an address of an error page",
      next({ props: { pageProps: { page: "/404" } }, page: "/[slug]" }),
    ],
    [
      "Next, a failure of its server",
      next({ props: { pageProps: { statusCode: 500 } }, page: "/_error" }),
    ],
    [
      "Next, a thing with a status",
      next({ props: { pageProps: { statusCode: 404 } }, page: "/codes/[code]" }),
    ],
    [
      "Next, a fallback that shows nothing",
      `<div id="__next">Loading…</div>${script('{"page":"/404"}', ' id="__NEXT_DATA__" type="application/json"')}`,
    ],
    [
      "Next, a boundary left to the browser",
      '<template data-dgst="BAILOUT_TO_CLIENT_SIDE_RENDERING"></template>',
    ],
    [
      "Next, a message of a boundary",
      '<template data-dgst="123" data-msg="NEXT_HTTP_ERROR_FALLBACK;404"></template>',
    ],
    [
      "Next, its flight data",
      script('self.__next_f.push([1,"5:E{\\"digest\\":\\"NEXT_HTTP_ERROR_FALLBACK;404\\"}"])'),
    ],
    [
      "Next, an article that quotes it",
      '<pre>&lt;template data-dgst="NEXT_HTTP_ERROR_FALLBACK;404"&gt;</pre>',
    ],
    [
      "Next, an article that shows it as text",
      '<textarea><template data-dgst="NEXT_NOT_FOUND"></template></textarea>',
    ],
    [
      "Remix, errors that a loader returned",
      script(
        `window.__remixContext = ${JSON.stringify({ state: { loaderData: { a: { errors: { a: NOT_FOUND } } }, errors: null } })};`,
      ),
    ],
    [
      "Remix, a failure of its server",
      script('window.__remixContext = {"state":{"errors":{"root":{"status":500}}}};'),
    ],
    ["React Router, another error", stream(ROUTED(403))],
    [
      "React Router, data with the number",
      stream([{ _1: 2, _3: -5 }, "loaderData", { _4: 5 }, "errors", "status", 404]),
    ],
    [
      "React Router, a stream that is cut off",
      script('window.__reactRouterContext.streamController.enqueue("[{\\"_1\\":2}'),
    ],
    ["SvelteKit, a page that is there", kit("data: [null,null], form: null, error: null")],
    [
      "SvelteKit, data with a status",
      kit('data: [{type:"data",data:{status: 404, error: {}}}], form: null, error: null'),
    ],
    [
      "SvelteKit, a failure of its server",
      kit('data: [null], form: null, error: {message:"Internal Error"}, status: 500'),
    ],
    [
      "Nuxt 3, the error of a side request",
      nuxt([{ _errors: 1, error: -1 }, { a: 2 }, ["NuxtError", 3], { statusCode: 4 }, 404]),
    ],
    [
      "Nuxt 3, a page that is there",
      nuxt([{ data: 1 }, { statusCode: 2, error: 3 }, 404, { statusCode: 2 }]),
    ],
    ["Nuxt 3, wrappers in a circle", nuxt([["Reactive", 0]])],
    [
      "Nuxt 2, data with an error",
      script("window.__NUXT__={data:[{error:{statusCode:404}}],error:null}"),
    ],
    [
      "Nuxt 2, shortened, with another status",
      script("window.__NUXT__=(function(a,b){return {error:{statusCode:b}}}(404,500));"),
    ],
    [
      "a script of another kind",
      script('{"page":"/404"}', ' type="text/template" id="__NEXT_DATA__"'),
    ],
    ["a script that is loaded", '<script src="/a.js" id="__NEXT_DATA__">{"page":"/404"}</script>'],
  ])("in what is only like it", (_, html) => {
    expect(
      routeOf(
        `<title>A shop</title>${SHOWN}${html}`.replace(html.includes("Loading") ? SHOWN : "", ""),
      ),
    ).toBeNull();
  });
});
