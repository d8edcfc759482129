import type { Document, Method, PathItem } from "../openapi/types.ts";
import {
  code,
  eventSection,
  fieldTable,
  type Html,
  html,
  markdown,
  operationSection,
  type Place,
} from "./operation.ts";

type Chapter = { name: string; description: string; places: Place[] };

/** The complete reference as one page. It loads only its own style and script. */
export const renderPage = (document: Document): string =>
  `<!doctype html>\n${page(document).markup}\n`;

const page = (document: Document) => html`<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Stillup API reference</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/reference.css">
  <script src="/docs/reference.js" defer></script>
</head>
<body>
  <a class="skip" href="#content">Skip to the content</a>
  <header>
    <a href="/docs"><b>Stillup</b> API reference</a>
    <a href="/openapi.json">openapi.json</a>
    <a href="/">Dashboard</a>
  </header>
  <div class="columns">
    ${contents(document)}
    <main id="content">${body(document)}</main>
  </div>
</body>
</html>`;

const body = (document: Document): Html[] => [
  html`<h1>Stillup API</h1><section class="prose">${markdown(document.info.description)}</section>`,
  refusals(document),
  ...chaptersOf(document).map((chapter) => chapterSection(document, chapter)),
  events(document),
  schemas(document),
];

const chaptersOf = ({ tags, paths }: Document): Chapter[] =>
  tags
    .map((tag) => ({
      ...tag,
      places: placesOf(paths).filter(({ operation }) => operation.tags?.includes(tag.name)),
    }))
    .filter(({ places }) => places.length > 0);

const placesOf = (paths: Record<string, PathItem>): Place[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method as Method,
      operation,
    })),
  );

const idOf = (name: string) => `tag-${name.toLowerCase().replaceAll(" ", "-")}`;

const chapterSection = (
  document: Document,
  { name, description, places }: Chapter,
) => html`<section>
  <h2 id="${idOf(name)}">${name}</h2>
  <p>${description}</p>
  ${places.map((place) => operationSection(document, place))}
</section>`;

function events(document: Document): Html {
  const all = Object.entries(document.webhooks);
  return html`<section>
    <h2 id="tag-events">Event payloads</h2>
    <p>How to receive and verify them: <a href="#events">Events</a>.</p>
    ${all.map(([type, { post }]) => eventSection(document, type, post))}
  </section>`;
}

const schemas = ({ components }: Document) => html`<section>
  <h2 id="schemas">Schemas</h2>
  ${Object.entries(components.schemas).map(
    ([name, schema]) => html`<section class="operation" id="schema-${name}">
      <h3><a href="#schema-${name}">${name}</a></h3>
      ${fieldTable(schema, "reply")}
    </section>`,
  )}
</section>`;

/** All errors with examples. The general chapters explain their codes. */
function refusals({ components }: Document): Html {
  const shared = Object.values(components.responses).filter(({ content }) => content);
  const sections = shared.map(({ description, content }) => {
    const examples = Object.values(content!["application/json"]!.examples ?? {}).map(
      ({ value }) => value as { error: { status: number } },
    );
    const status = examples[0]?.error.status ?? "";
    return html`<details id="error-${status}">
      <summary><b class="status">${status}</b> ${description}</summary>
      ${examples.map((example) => code("json", JSON.stringify(example, null, 2)))}
    </details>`;
  });
  return html`<section><h2 id="refusals">Refusals</h2>${sections}</section>`;
}

function contents(document: Document): Html {
  const general = [...document.info.description.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
  return html`<details class="contents">
    <summary>Contents</summary>
    <nav aria-label="Contents">
      <input type="search" placeholder="Find…" aria-label="Find in the contents" hidden>
      <p>General</p>
      <ul>
        ${general.map((title) => item(title.toLowerCase().replaceAll(" ", "-"), title))}
        ${item("refusals", "Refusals")}
      </ul>
      ${chaptersOf(document).map(chapterContents)}
      <p><a href="#tag-events">Event payloads</a></p>
      <ul>${Object.entries(document.webhooks).map(([type, { post }]) => item(post.operationId, type))}</ul>
      <p><a href="#schemas">Schemas</a></p>
      <ul>${Object.keys(document.components.schemas).map((name) => item(`schema-${name}`, name))}</ul>
    </nav>
  </details>`;
}

const item = (id: string, title: string) => html`<li><a href="#${id}">${title}</a></li>`;

const chapterContents = ({
  name,
  places,
}: Chapter) => html`<p><a href="#${idOf(name)}">${name}</a></p>
<ul>${places.map(
  ({ method, path, operation }) => html`<li data-find="${method} ${path}">
    <a href="#${operation.operationId}"><b class="method ${method}">${method.toUpperCase()}</b> ${operation.summary}</a>
  </li>`,
)}</ul>`;
