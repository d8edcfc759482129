import { dead, means, type Page, type Rule, type Service } from "../record.ts";
import { IS_JSON } from "./shared.ts";

/** The status is reliable where programs have access, but another page may be shown instead. */
const PAGE_WITH_NAME: Page = { rules: [means("ok_service", { status: 200, text: "{name}" })] };

/** Private and missing projects both redirect visitors to the sign-in page. */
const GITLAB_SIGN_IN: Rule = means("service_private", {
  status: 200,
  url: String.raw`^https://gitlab\.com/users/sign_in(?:[?#]|$)`,
  // In any language.
  matches: String.raw`\S`,
});

const GITHUB: Rule[] = [
  means("geo_blocked", { status: 451, text: "blocked in your country" }),
  dead("service_takedown", "C1", { status: 451 }),
  means("service_rate_limited", { status: [403, 429], text: "exceeded a secondary rate limit" }),
];

/** Two mirrors and the site must agree, since the first does not find every package. */
const NPM_FIRST: Rule[] = [
  means("ok_service", { json: { name: { exists: true } } }),
  means("next", { status: 404, json: IS_JSON }),
];

const NPM_SECOND: Rule[] = [
  means("ok_service", { json: { name: { exists: true } } }),
  means("next", { status: 404 }),
];

const NPM_SITE: Rule[] = [
  means("ok_service", { status: 200, text: "{name}" }),
  means("service_unrecognised", { status: 200 }),
  dead("service_not_found", "C2", { status: [403, 404, 429, 503] }),
];

/** The site usually returns only a challenge, so npm's registry is used instead. */
const NPM_REGISTRY: Rule[] = [
  means("ok_service", { json: { name: { exists: true } } }),
  dead("service_not_found", "C2", { status: 404, json: IS_JSON }),
];

const PYPI: Rule[] = [
  means("ok_service", { json: { "info.name": { exists: true } } }),
  dead("service_not_found", "C1", { status: 404, json: IS_JSON }),
];

const DOCKER_HUB: Rule[] = [
  means("ok_service", { json: { name: { exists: true } } }),
  dead("service_not_found", "C1", { status: 404, json: IS_JSON }),
];

export const DEVELOPER: Service[] = [
  {
    id: "github",
    name: "GitHub",
    hosts: ["github.com", "githubusercontent.com", "git.io"],
    confidence: "H",
    kinds: [
      {
        kind: "page",
        host: String.raw`^(?:www\.|gist\.)?github\.com$`,
        path: "^/.",
        page: { rules: GITHUB },
      },
      {
        kind: "raw",
        host: String.raw`^(?:raw|gist)\.githubusercontent\.com$`,
        page: { rules: GITHUB },
      },
    ],
    canary: [
      "https://github.com/torvalds/linux",
      "https://raw.githubusercontent.com/torvalds/linux/master/README",
    ],
  },
  {
    id: "gitlab",
    name: "GitLab",
    hosts: ["gitlab.com"],
    confidence: "M",
    kinds: [{ kind: "page", path: "^/(?!users/sign_in).", page: { rules: [GITLAB_SIGN_IN] } }],
    canary: ["https://gitlab.com/gitlab-org/gitlab"],
  },
  {
    id: "bitbucket",
    name: "Bitbucket",
    hosts: ["bitbucket.org"],
    confidence: "M",
    kinds: [
      {
        kind: "repository",
        host: String.raw`^(?:www\.)?bitbucket\.org$`,
        path: "^/(?!(?:account|blog|dashboard|product|site|support)/)(?<owner>[^/]+)/(?<name>[^/]+)/?$",
        ask: {
          url: "https://api.bitbucket.org/2.0/repositories/{owner}/{name}",
          rules: [
            means("ok_service", { json: { full_name: { exists: true } } }),
            dead("service_not_found", "C2", { status: 404, json: IS_JSON }),
            means("service_private", { status: 403, json: IS_JSON }),
            // Anonymous clients get 60 requests an hour.
            means("page", { status: 429 }),
          ],
        },
        page: PAGE_WITH_NAME,
      },
      { kind: "content", host: String.raw`^(?:www\.)?bitbucket\.org$`, path: "^/[^/]+/[^/]+/." },
    ],
    canary: [
      "https://bitbucket.org/tutorials/markdowndemo",
      "https://bitbucket.org/atlassian/atlassian-connect-express",
    ],
  },
  {
    id: "npm",
    name: "npm",
    hosts: ["npmjs.com", "npmjs.org"],
    confidence: "M",
    kinds: [
      {
        kind: "version",
        host: String.raw`^(?:www\.)?npmjs\.(?:com|org)$`,
        path: "^/package/(?<name>(?:(?:@|%40)[^/]+/)?[^/]+)/v/(?<version>[^/]+)/?$",
        ask: [
          {
            url: "https://data.jsdelivr.com/v1/packages/npm/{name|raw}@{version}",
            rules: NPM_FIRST,
          },
          { url: "https://unpkg.com/{name|raw}@{version}/package.json", rules: NPM_SECOND },
          { url: "https://www.npmjs.com/package/{name|raw}/v/{version}", rules: NPM_SITE },
        ],
        page: { url: "https://registry.npmjs.org/{name|raw}/{version}", rules: NPM_REGISTRY },
      },
      {
        kind: "package",
        host: String.raw`^(?:www\.)?npmjs\.(?:com|org)$`,
        path: "^/package/(?<name>(?:(?:@|%40)[^/]+/)?[^/]+)/?$",
        ask: [
          { url: "https://data.jsdelivr.com/v1/packages/npm/{name|raw}", rules: NPM_FIRST },
          { url: "https://unpkg.com/{name|raw}/package.json", rules: NPM_SECOND },
          { url: "https://www.npmjs.com/package/{name|raw}", rules: NPM_SITE },
        ],
        page: { url: "https://registry.npmjs.org/{name|raw}/latest", rules: NPM_REGISTRY },
      },
    ],
    canary: ["https://www.npmjs.com/package/npm", "https://www.npmjs.com/package/lodash/v/4.17.21"],
  },
  {
    id: "pypi",
    name: "PyPI",
    hosts: ["pypi.org", "pypi.python.org"],
    confidence: "M",
    kinds: [
      {
        kind: "release",
        host: String.raw`^(?:www\.)?pypi\.org$`,
        path: "^/project/(?<name>[^/]+)/(?<version>[^/]+)/?$",
        ask: { url: "https://pypi.org/pypi/{name}/{version}/json", rules: PYPI },
        page: PAGE_WITH_NAME,
      },
      {
        kind: "project",
        host: String.raw`^(?:www\.)?pypi\.org$`,
        path: "^/(?:project|pypi|p)/(?<name>[^/]+)/?$",
        ask: { url: "https://pypi.org/pypi/{name}/json", rules: PYPI },
        page: PAGE_WITH_NAME,
      },
    ],
    canary: ["https://pypi.org/project/pip/", "https://pypi.org/project/requests/2.0.0/"],
  },
  {
    id: "crates-io",
    name: "crates.io",
    hosts: ["crates.io"],
    confidence: "H",
    kinds: [
      {
        kind: "version",
        host: String.raw`^(?:www\.)?crates\.io$`,
        path: String.raw`^/crates/(?<name>[\w-]+)/(?<version>\d[^/]*)/?$`,
        ask: {
          url: "https://crates.io/api/v1/crates/{name}/{version}",
          rules: [
            means("ok_service", { json: { "version.num": { exists: true } } }),
            dead("service_not_found", "C1", { status: 404, json: IS_JSON }),
          ],
        },
        page: "never",
      },
      {
        kind: "crate",
        host: String.raw`^(?:www\.)?crates\.io$`,
        path: String.raw`^/crates/(?<name>[\w-]+)(?:/|$)`,
        ask: {
          url: "https://crates.io/api/v1/crates/{name}",
          rules: [
            means("ok_service", { json: { "crate.id": { exists: true } } }),
            dead("service_not_found", "C1", { status: 404, json: IS_JSON }),
          ],
        },
        // All crates get the same scripted page.
        page: "never",
      },
    ],
    canary: ["https://crates.io/crates/serde", "https://crates.io/crates/serde/1.0.0"],
    gapMs: 1000,
  },
  {
    id: "docker-hub",
    name: "Docker Hub",
    hosts: ["hub.docker.com"],
    confidence: "M",
    kinds: [
      {
        kind: "official",
        path: "^/_/(?<name>[^/]+)(?:/|$)",
        ask: { url: "https://hub.docker.com/v2/repositories/library/{name}/", rules: DOCKER_HUB },
      },
      {
        kind: "repository",
        path: "^/r/(?<owner>[^/]+)/(?<name>[^/]+)(?:/|$)",
        ask: { url: "https://hub.docker.com/v2/repositories/{owner}/{name}/", rules: DOCKER_HUB },
      },
    ],
    canary: ["https://hub.docker.com/_/alpine", "https://hub.docker.com/r/docker/dockerfile"],
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    hosts: ["huggingface.co", "hf.co"],
    confidence: "M",
    kinds: [
      {
        kind: "page",
        path: "^/.",
        page: {
          rules: [
            means("ok_service_protected", { header: { "x-error-code": "^GatedRepo$" } }),
            dead("service_takedown", "C1", {
              header: { "x-error-message": "^Access to this resource is disabled" },
            }),
            dead("service_not_found", "C2", {
              header: { "x-error-code": "^(?:Entry|Revision)NotFound$" },
            }),
            // Also returned for private repositories.
            means("service_private", { status: 401, header: { "x-error-code": "^RepoNotFound$" } }),
          ],
        },
      },
    ],
    canary: ["https://huggingface.co/openai-community/gpt2"],
  },
  {
    id: "sourceforge",
    name: "SourceForge",
    hosts: ["sourceforge.net", "sf.net"],
    confidence: "M",
    kinds: [
      {
        kind: "file",
        host: String.raw`^(?:www\.)?(?:sourceforge|sf)\.net$`,
        path: "^/projects?/[^/]+/files/.",
        page: {
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`>\s*The (?:(?:"|&quot;|&#34;)[^<>]{1,300} )?file could not be found or is not available`,
              // Reviews and descriptions may contain the same words.
              unless: {
                matches: String.raw`Your download will start|id="readme"[\s\S]{0,1000}?file could not be found`,
              },
            }),
          ],
        },
      },
      {
        kind: "project",
        host: String.raw`^(?:www\.)?(?:sourceforge|sf)\.net$`,
        path: "^/(?:projects?|p|u)/.",
      },
    ],
    canary: ["https://sourceforge.net/projects/sevenzip/"],
  },
];
