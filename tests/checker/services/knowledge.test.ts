import { challenge, file, json, page, text, to } from "./played-web.ts";
import { tellOf } from "./told.ts";

const REPO = "https://github.com/torvalds/linux";
const REPO_PAGE = `<title>GitHub - torvalds/linux: Linux kernel source tree</title>
<h1>torvalds/linux</h1><p>Linux kernel source tree. 190k stars, 60k forks, 1.4 million commits.</p>`;
const RAW = "https://raw.githubusercontent.com/torvalds/linux/master/README";

tellOf("github", {
  urls: [
    REPO,
    "https://gist.github.com/someone/0123456789abcdef",
    RAW,
    "https://GitHub.com/torvalds",
    "https://git.io/JfTjY",
  ],
  rows: [
    {
      what: "a repository",
      url: REPO,
      web: { "github.com/torvalds/linux": REPO_PAGE },
      seen: "active ok",
    },
    {
      what: "missing, or private",
      url: REPO,
      web: { "github.com/torvalds/linux": page("<title>Page not found · GitHub</title>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "taken down",
      url: REPO,
      web: {
        "github.com/torvalds/linux": page(
          "<h1>Repository unavailable due to DMCA takedown.</h1><p>This repository is currently disabled.</p>",
          451,
        ),
      },
      seen: "dead service_takedown C1",
    },
    {
      what: "not for this country",
      url: REPO,
      web: {
        "github.com/torvalds/linux": page(
          "<h3>Repository has been blocked in your country.</h3>",
          451,
        ),
      },
      seen: "unknown geo_blocked",
    },
    {
      what: "a repository about what GitHub may answer",
      url: REPO,
      web: {
        "github.com/torvalds/linux": `${REPO_PAGE}<p>"You have exceeded a secondary rate limit", or: Repository has been blocked in your country.</p>`,
      },
      seen: "active ok",
    },
    {
      what: "asked too often, in a number",
      url: REPO,
      web: {
        "github.com/torvalds/linux": page("<p>You have exceeded a secondary rate limit.</p>", 429),
      },
      seen: "unknown service_rate_limited",
    },
    {
      what: "refused",
      url: REPO,
      web: { "github.com/torvalds/linux": 403 },
      seen: "unknown http_403",
    },
    {
      what: "a page about GitHub that the law keeps away",
      url: "https://docs.github.com/en",
      web: { "docs.github.com/en": 451 },
      seen: "unknown http_451",
    },
    {
      what: "a picture that the law keeps away",
      url: "https://avatars.githubusercontent.com/u/1",
      web: { "avatars.githubusercontent.com/u/1": 451 },
      seen: "unknown http_451",
    },
    {
      what: "asked too often",
      url: REPO,
      web: {
        "github.com/torvalds/linux": page(
          "<title>Rate limit · GitHub</title><h1>Whoa there!</h1><p>You have exceeded a secondary rate limit.</p>",
          403,
        ),
      },
      seen: "unknown service_rate_limited",
    },
    {
      what: "a sign-in",
      url: "https://github.com/someone/private/settings",
      web: {
        "github.com/someone/private/settings": to(
          "https://github.com/login?return_to=https%3A%2F%2Fgithub.com%2Fsomeone%2Fprivate%2Fsettings",
        ),
        "github.com/login":
          "<title>Sign in to GitHub</title><form><input name=login><input type=password></form>",
      },
      seen: "unknown login_required",
    },
    {
      what: "failing",
      url: REPO,
      web: { "github.com/torvalds/linux": page("<h1>Unicorn!</h1>", 502) },
      seen: "unknown http_502",
    },
    {
      what: "a file",
      url: RAW,
      web: { "raw.githubusercontent.com/torvalds/linux/master/README": text("Linux kernel") },
      seen: "active ok",
      asked: [`GET ${RAW}`],
    },
    {
      what: "a missing file",
      url: RAW,
      web: {
        "raw.githubusercontent.com/torvalds/linux/master/README": text("404: Not Found", 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a file of what was taken down",
      url: RAW,
      web: { "raw.githubusercontent.com/torvalds/linux/master/README": text("451", 451) },
      seen: "dead service_takedown C1",
    },
  ],
});

const PROJECT = "https://gitlab.com/gitlab-org/gitlab";

tellOf("gitlab", {
  urls: [PROJECT, "https://www.gitlab.com/explore", "https://docs.gitlab.com/ee/"],
  rows: [
    {
      what: "a project",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab":
          "<title>GitLab.org / GitLab · GitLab</title><h1>GitLab</h1><p>GitLab is an open source DevSecOps platform.</p>",
      },
      seen: "active ok",
    },
    {
      what: "private, or missing",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab": to("https://gitlab.com/users/sign_in"),
        "gitlab.com/users/sign_in":
          "<title>Sign in · GitLab</title><h1>GitLab.com</h1><form><input name=user><input type=password></form>",
      },
      seen: "unknown service_private",
    },
    {
      what: "private, or missing, in German",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab": to("https://gitlab.com/users/sign_in?return=1", 301),
        "gitlab.com/users/sign_in":
          "<title>Anmelden · GitLab</title><h1>GitLab.com</h1><form><input name=user><input type=password></form>",
      },
      seen: "unknown service_private",
    },
    {
      what: "private, or missing, when the door has no name",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab": to("https://gitlab.com/users/sign_in"),
        "gitlab.com/users/sign_in": "<title>GitLab</title><h1>Welcome</h1>",
      },
      seen: "unknown service_private",
    },
    {
      what: "private, or missing, when the door fails",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab": to("https://gitlab.com/users/sign_in"),
        "gitlab.com/users/sign_in": 503,
      },
      seen: "unknown http_503",
    },
    {
      what: "a project about signing in",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab":
          "<title>Jane / Sign in with anything · GitLab</title><h1>Sign in with anything</h1><p>A library.</p>",
      },
      seen: "active ok",
    },
    {
      what: "the door itself",
      url: "https://gitlab.com/users/sign_in",
      web: {
        "gitlab.com/users/sign_in":
          "<title>Sign in · GitLab</title><h1>GitLab.com</h1><form><input name=user><input type=password></form>",
      },
      seen: "active ok",
    },
    {
      what: "behind a wall at its door",
      url: PROJECT,
      web: {
        "gitlab.com/gitlab-org/gitlab": to("https://gitlab.com/users/sign_in"),
        "gitlab.com/users/sign_in": challenge(),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "missing",
      url: PROJECT,
      web: { "gitlab.com/gitlab-org/gitlab": 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "failing",
      url: PROJECT,
      web: { "gitlab.com/gitlab-org/gitlab": 500 },
      seen: "unknown http_500",
    },
  ],
});

const BUCKET = "https://bitbucket.org/tutorials/markdowndemo/";
const BUCKET_API = "api.bitbucket.org/2.0/repositories/tutorials/markdowndemo";
const bucketError = (message: string) => ({ type: "error", error: { message } });

tellOf("bitbucket", {
  urls: [
    BUCKET,
    "https://bitbucket.org/tutorials/markdowndemo/src/master/README.md",
    "https://www.Bitbucket.org/a",
  ],
  rows: [
    {
      what: "a repository",
      url: BUCKET,
      web: { [BUCKET_API]: json({ type: "repository", full_name: "tutorials/markdowndemo" }) },
      seen: "active ok_service",
      asked: [`GET https://${BUCKET_API}`],
    },
    {
      what: "gone",
      url: BUCKET,
      web: {
        [BUCKET_API]: json(
          bucketError(
            "You may not have access to this repository or it no longer exists in this workspace.",
          ),
          404,
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "private",
      url: BUCKET,
      web: { [BUCKET_API]: json(bucketError("Access denied."), 403) },
      seen: "unknown service_private",
    },
    {
      what: "asked about too often, and there",
      url: BUCKET,
      web: {
        [BUCKET_API]: text("Rate limit for this resource has been exceeded", 429),
        "bitbucket.org/tutorials/markdowndemo/": "<title>tutorials / markdowndemo</title>",
      },
      seen: "active ok_service",
    },
    {
      what: "asked about too often, and missing",
      url: BUCKET,
      web: {
        [BUCKET_API]: text("Rate limit for this resource has been exceeded", 429),
        "bitbucket.org/tutorials/markdowndemo/": 404,
      },
      seen: "dead http_404 C2",
    },
    {
      what: "asked about too often, and in its place a page that does not name it",
      url: BUCKET,
      web: {
        [BUCKET_API]: text("Rate limit for this resource has been exceeded", 429),
        "bitbucket.org/tutorials/markdowndemo/":
          "<title>Bitbucket</title><h1>Code and plan together</h1>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "failing everywhere",
      url: BUCKET,
      web: {
        [BUCKET_API]: json(bucketError("Something went wrong"), 500),
        "bitbucket.org/tutorials/markdowndemo/": 503,
      },
      seen: "unknown http_503",
    },
    {
      what: "refused by a page",
      url: BUCKET,
      web: {
        [BUCKET_API]: page("<h1>404</h1>", 404),
        "bitbucket.org/tutorials/markdowndemo/": 403,
      },
      seen: "unknown http_403",
    },
    {
      what: "refused by a page in the answer's place",
      url: BUCKET,
      web: {
        [BUCKET_API]: page("<h1>Forbidden</h1>", 403),
        "bitbucket.org/tutorials/markdowndemo/": "<title>tutorials / markdowndemo</title>",
      },
      seen: "active ok_service",
    },
    {
      what: "a page of its blog",
      url: "https://blog.bitbucket.org/2019/news",
      web: { "blog.bitbucket.org/2019/news": "<title>News</title><h1>News</h1><p>We moved.</p>" },
      seen: "active ok",
    },
    {
      what: "a missing file",
      url: "https://bitbucket.org/tutorials/markdowndemo/src/master/no.md",
      web: { "bitbucket.org/tutorials/markdowndemo/src/master/no.md": 404 },
      seen: "dead http_404 C2",
      asked: ["GET https://bitbucket.org/tutorials/markdowndemo/src/master/no.md"],
    },
  ],
});

const PACKAGE = "https://www.npmjs.com/package/react";
const MIRROR = "data.jsdelivr.com/v1/packages/npm";
const known = (name: string) => json({ type: "npm", name, tags: { latest: "19.0.0" } });
const unknown = json({ status: 404, message: "Couldn't find react." }, 404);
const NO_PACKAGE = json({ error: "Not found" }, 404);

tellOf("npm", {
  urls: [
    PACKAGE,
    "https://npmjs.com/package/@types/node",
    "https://www.npmjs.org/package/left-pad",
    "https://registry.npmjs.org/react",
    "https://WWW.NPMJS.COM/",
  ],
  rows: [
    {
      what: "a package",
      url: PACKAGE,
      web: { [`${MIRROR}/react`]: known("react") },
      seen: "active ok_service",
      asked: [`GET https://${MIRROR}/react`],
    },
    {
      what: "a package of a scope",
      url: "https://www.npmjs.com/package/@types/node",
      web: { [`${MIRROR}/@types/node`]: known("@types/node") },
      seen: "active ok_service",
      asked: [`GET https://${MIRROR}/@types/node`],
    },
    {
      what: "a package that the first mirror does not find",
      url: "https://www.npmjs.com/package/@muze-nl/metro-core",
      web: {
        [`${MIRROR}/@muze-nl/metro-core`]: unknown,
        "unpkg.com/@muze-nl/metro-core/package.json": to("/@muze-nl/metro-core@0.6.0/package.json"),
        "unpkg.com/@muze-nl/metro-core@0.6.0/package.json": json({ name: "@muze-nl/metro-core" }),
      },
      seen: "active ok_service",
    },
    {
      what: "gone",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": text("Package not found: react", 404),
        "www.npmjs.com/package/react": challenge(),
        "registry.npmjs.org/react/latest": NO_PACKAGE,
      },
      seen: "dead service_not_found C2",
      asked: [
        `GET https://${MIRROR}/react`,
        "GET https://unpkg.com/react/package.json",
        `GET ${PACKAGE}`,
        "GET https://registry.npmjs.org/react/latest",
      ],
    },
    ...[403, 404, 429, 503].map((status) => ({
      what: `gone, while the site answers ${status}`,
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": text("Package not found: react", 404),
        "www.npmjs.com/package/react": page("<h1>Sorry</h1>", status),
      },
      seen: "dead service_not_found C2",
    })),
    {
      what: "known to no mirror, and there",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": text("Package not found: react", 404),
        "www.npmjs.com/package/react": "<title>react - npm</title><h1>react</h1>",
      },
      seen: "active ok_service",
    },
    {
      what: "known to no mirror, and in its place a page that does not name it",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": text("Package not found: react", 404),
        "www.npmjs.com/package/react": "<title>npm</title><h1>Build amazing things</h1>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "known to npm itself, and to no mirror",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": text("Package not found: react", 404),
        "www.npmjs.com/package/react": challenge(),
        "registry.npmjs.org/react/latest": json({ name: "react", version: "19.0.0" }),
      },
      seen: "active ok_service",
    },
    {
      what: "known to no mirror, and walled, while npm itself fails",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": text("Package not found: react", 404),
        "www.npmjs.com/package/react": challenge(),
        "registry.npmjs.org/react/latest": json({ error: "Try again." }, 503),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "unknown to a mirror that is ill, and there",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: unknown,
        "unpkg.com/react/package.json": 500,
        "registry.npmjs.org/react/latest": json({ name: "react" }),
      },
      seen: "active ok_service",
    },
    {
      what: "refused by a page in the mirror's place, and walled",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: page("<h1>Not found</h1>", 404),
        "registry.npmjs.org/react/latest": challenge(),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "unknown to a mirror that is ill, and refused by a page",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: json({ status: 503, message: "Try again." }, 503),
        "registry.npmjs.org/react/latest": "<title>npm</title><h1>Build amazing things</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "unknown to a mirror that is ill, and missing",
      url: PACKAGE,
      web: {
        [`${MIRROR}/react`]: json({ status: 503, message: "Try again." }, 503),
        "registry.npmjs.org/react/latest": NO_PACKAGE,
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a page about packages",
      url: "https://docs.npmjs.com/package/react",
      web: { "docs.npmjs.com/package/react": "<title>npm Docs</title><h1>Packages</h1>" },
      seen: "active ok",
    },
    {
      what: "a page about versions",
      url: "https://docs.npmjs.com/package/react/v/1",
      web: { "docs.npmjs.com/package/react/v/1": "<title>npm Docs</title><h1>Versions</h1>" },
      seen: "active ok",
    },
    {
      what: "a version",
      url: "https://www.npmjs.com/package/react/v/18.2.0",
      web: { [`${MIRROR}/react@18.2.0`]: known("react") },
      seen: "active ok_service",
      asked: [`GET https://${MIRROR}/react@18.2.0`],
    },
    {
      what: "a version that a mirror lacks, and there",
      url: "https://www.npmjs.com/package/react/v/18.2.0",
      web: {
        [`${MIRROR}/react@18.2.0`]: 500,
        "registry.npmjs.org/react/18.2.0": json({ name: "react", version: "18.2.0" }),
      },
      seen: "active ok_service",
    },
    {
      what: "a version that was unpublished",
      url: "https://www.npmjs.com/package/react/v/99.0.0",
      web: {
        [`${MIRROR}/react@99.0.0`]: unknown,
        "unpkg.com/react@99.0.0/package.json": text("Version not found", 404),
        "www.npmjs.com/package/react/v/99.0.0": challenge(),
        "registry.npmjs.org/react/99.0.0": json("version not found: 99.0.0", 404),
      },
      seen: "dead service_not_found C2",
      asked: [
        `GET https://${MIRROR}/react@99.0.0`,
        "GET https://unpkg.com/react@99.0.0/package.json",
        "GET https://www.npmjs.com/package/react/v/99.0.0",
        "GET https://registry.npmjs.org/react/99.0.0",
      ],
    },
    {
      what: "a version that no mirror has, and there",
      url: "https://www.npmjs.com/package/react/v/18.2.0",
      web: {
        [`${MIRROR}/react@18.2.0`]: unknown,
        "unpkg.com/react@18.2.0/package.json": text("Version not found", 404),
        "www.npmjs.com/package/react/v/18.2.0": "<title>react - npm</title><h1>react</h1>",
      },
      seen: "active ok_service",
    },
  ],
});

const PIP = "https://pypi.org/project/pip/";
const NO_PROJECT = json({ message: "Not Found" }, 404);

tellOf("pypi", {
  urls: [
    PIP,
    "https://www.pypi.org/",
    "https://pypi.python.org/pypi/pip",
    "https://test.PyPI.org/",
  ],
  rows: [
    {
      what: "a project",
      url: PIP,
      web: { "pypi.org/pypi/pip/json": json({ info: { name: "pip" } }) },
      seen: "active ok_service",
      asked: ["GET https://pypi.org/pypi/pip/json"],
    },
    {
      what: "a project under its old address",
      url: "https://pypi.python.org/pypi/pip",
      web: {
        "pypi.python.org/pypi/pip": to(PIP),
        "pypi.org/project/pip/": "<title>pip · PyPI</title>",
        "pypi.org/pypi/pip/json": json({ info: { name: "pip" } }),
      },
      seen: "active ok_service",
    },
    {
      what: "gone",
      url: PIP,
      web: { "pypi.org/pypi/pip/json": NO_PROJECT },
      seen: "dead service_not_found C1",
    },
    {
      what: "not asked about for the moment, and there",
      url: PIP,
      web: {
        "pypi.org/pypi/pip/json": page("<h1>Not found</h1>", 404),
        "pypi.org/project/pip/": "<title>pip · PyPI</title><h1>pip 25.0</h1>",
      },
      seen: "active ok_service",
    },
    {
      what: "not asked about for the moment, and in its place a page that does not name it",
      url: PIP,
      web: {
        "pypi.org/pypi/pip/json": 500,
        "pypi.org/project/pip/": "<title>PyPI</title><h1>The Python index of projects</h1>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "walled",
      url: PIP,
      web: {
        "pypi.org/pypi/pip/json": json({ message: "Service unavailable" }, 503),
        "pypi.org/project/pip/": challenge(),
      },
      seen: "unknown bot_challenge",
    },
    {
      what: "a project of another index",
      url: "https://test.pypi.org/project/pip/",
      web: { "test.pypi.org/project/pip/": "<title>pip · TestPyPI</title><h1>pip 25.0</h1>" },
      seen: "active ok",
    },
    {
      what: "a release of another index",
      url: "https://test.pypi.org/project/pip/25.0/",
      web: { "test.pypi.org/project/pip/25.0/": "<title>pip · TestPyPI</title><h1>pip 25.0</h1>" },
      seen: "active ok",
    },
    {
      what: "a release",
      url: "https://pypi.org/project/requests/2.0.0/",
      web: { "pypi.org/pypi/requests/2.0.0/json": json({ info: { name: "requests" } }) },
      seen: "active ok_service",
      asked: ["GET https://pypi.org/pypi/requests/2.0.0/json"],
    },
    {
      what: "a release that was withdrawn",
      url: "https://pypi.org/project/requests/0.0.1/",
      web: { "pypi.org/pypi/requests/0.0.1/json": NO_PROJECT },
      seen: "dead service_not_found C1",
    },
    {
      what: "a release that cannot be asked about, and is there",
      url: "https://pypi.org/project/requests/2.0.0/",
      web: {
        "pypi.org/pypi/requests/2.0.0/json": 500,
        "pypi.org/project/requests/2.0.0/": "<title>requests · PyPI</title>",
      },
      seen: "active ok_service",
    },
  ],
});

const CRATE = "https://crates.io/crates/serde";
const CRATE_API = "crates.io/api/v1/crates/serde";
const noCrate = (detail: string) => json({ errors: [{ detail }] }, 404);

tellOf("crates-io", {
  urls: [CRATE, "https://www.crates.io/", "https://static.crates.io/crates/serde/"],
  rows: [
    {
      what: "a crate",
      url: CRATE,
      web: { [CRATE_API]: json({ crate: { id: "serde" }, versions: [] }) },
      seen: "active ok_service",
      asked: [`GET https://${CRATE_API}`],
      headers: { "user-agent": "Stillup/test" },
    },
    {
      what: "gone",
      url: CRATE,
      web: { [CRATE_API]: noCrate("crate `serde` does not exist") },
      seen: "dead service_not_found C1",
    },
    {
      what: "a list of what depends on a crate",
      url: "https://crates.io/crates/serde/reverse_dependencies",
      web: { [CRATE_API]: json({ crate: { id: "serde" } }) },
      seen: "active ok_service",
    },
    {
      what: "asked about too often",
      url: CRATE,
      web: { [CRATE_API]: text("Rate limit exceeded", 429) },
      seen: "unknown service_rate_limited",
    },
    {
      what: "failing",
      url: CRATE,
      web: { [CRATE_API]: json({ errors: [{ detail: "Internal Server Error" }] }, 500) },
      seen: "unknown service_probe_failed",
      asked: [`GET https://${CRATE_API}`],
    },
    {
      what: "refused by a page",
      url: CRATE,
      web: { [CRATE_API]: page("<h1>Not found</h1>", 404) },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a version",
      url: "https://crates.io/crates/serde/1.0.0",
      web: { [`${CRATE_API}/1.0.0`]: json({ version: { num: "1.0.0" } }) },
      seen: "active ok_service",
      asked: [`GET https://${CRATE_API}/1.0.0`],
    },
    {
      what: "a version that never was",
      url: "https://crates.io/crates/serde/9.9.9",
      web: { [`${CRATE_API}/9.9.9`]: noCrate("crate `serde` does not have a version `9.9.9`") },
      seen: "dead service_not_found C1",
    },
    {
      what: "a version when all fails",
      url: "https://crates.io/crates/serde/1.0.0",
      web: { [`${CRATE_API}/1.0.0`]: 502 },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a page about crates",
      url: "https://doc.crates.io/crates/serde",
      web: { "doc.crates.io/crates/serde": "<title>Cargo</title><h1>Crates</h1>" },
      seen: "active ok",
    },
    {
      what: "a page about versions",
      url: "https://doc.crates.io/crates/serde/1.0",
      web: { "doc.crates.io/crates/serde/1.0": "<title>Cargo</title><h1>Versions</h1>" },
      seen: "active ok",
    },
  ],
});

const IMAGE = "https://hub.docker.com/r/grafana/grafana";
const HUB = "hub.docker.com/v2/repositories";
const NO_IMAGE = json({ message: "object not found", errinfo: {} }, 404);

tellOf("docker-hub", {
  urls: [IMAGE, "https://hub.docker.com/_/alpine", "https://HUB.docker.com/u/grafana"],
  rows: [
    {
      what: "an image",
      url: IMAGE,
      web: { [`${HUB}/grafana/grafana/`]: json({ name: "grafana", namespace: "grafana" }) },
      seen: "active ok_service",
      asked: [`GET https://${HUB}/grafana/grafana/`],
    },
    {
      what: "the tags of an image",
      url: `${IMAGE}/tags?page=2`,
      web: { [`${HUB}/grafana/grafana/`]: json({ name: "grafana", namespace: "grafana" }) },
      seen: "active ok_service",
    },
    {
      what: "an official image",
      url: "https://hub.docker.com/_/alpine",
      web: { [`${HUB}/library/alpine/`]: json({ name: "alpine", namespace: "library" }) },
      seen: "active ok_service",
      asked: [`GET https://${HUB}/library/alpine/`],
    },
    {
      what: "gone, or private",
      url: IMAGE,
      web: { [`${HUB}/grafana/grafana/`]: NO_IMAGE },
      seen: "dead service_not_found C1",
    },
    {
      what: "an official image that is gone",
      url: "https://hub.docker.com/_/jenkins",
      web: { [`${HUB}/library/jenkins/`]: NO_IMAGE },
      seen: "dead service_not_found C1",
    },
    {
      what: "a list of nothing",
      url: IMAGE,
      web: {
        [`${HUB}/grafana/grafana/`]: json({ count: 0, results: [] }),
        "hub.docker.com/r/grafana/grafana": "<title>grafana/grafana - Docker Image</title>",
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "refused by a page",
      url: IMAGE,
      web: {
        [`${HUB}/grafana/grafana/`]: page("<title>404 : Docker</title>", 404),
        "hub.docker.com/r/grafana/grafana": 500,
      },
      seen: "unknown http_500",
    },
    {
      what: "asked about too often",
      url: IMAGE,
      web: { [`${HUB}/grafana/grafana/`]: json({ detail: "Rate limit exceeded" }, 429) },
      seen: "unknown service_rate_limited",
    },
  ],
});

const MODEL = "https://huggingface.co/openai-community/gpt2";
const WEIGHTS = "https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json";
const WEIGHTS_AT = "huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json";
const refused = (status: number, fields: Record<string, string>) =>
  new Response("Refused.", { status, headers: { "Content-Type": "text/plain", ...fields } });

tellOf("huggingface", {
  urls: [MODEL, "https://hf.co/datasets/squad", "https://www.huggingface.co/spaces/a/b"],
  rows: [
    {
      what: "a model",
      url: MODEL,
      web: {
        "huggingface.co/openai-community/gpt2":
          "<title>openai-community/gpt2 · Hugging Face</title><h1>openai-community/gpt2</h1>",
      },
      seen: "active ok",
    },
    {
      what: "missing, or private",
      url: MODEL,
      web: { "huggingface.co/openai-community/gpt2": page("<h1>404</h1>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a file for those who accepted its terms",
      url: WEIGHTS,
      web: { [WEIGHTS_AT]: refused(401, { "X-Error-Code": "GatedRepo" }) },
      seen: "active ok_service_protected",
      asked: [`GET ${WEIGHTS}`],
    },
    {
      what: "a file of what is private or missing",
      url: WEIGHTS,
      web: { [WEIGHTS_AT]: refused(401, { "X-Error-Code": "RepoNotFound" }) },
      seen: "unknown service_private",
    },
    {
      what: "a missing file",
      url: WEIGHTS,
      web: { [WEIGHTS_AT]: refused(404, { "X-Error-Code": "EntryNotFound" }) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a file of what is missing for everybody",
      url: WEIGHTS,
      web: { [WEIGHTS_AT]: refused(404, { "X-Error-Code": "RepoNotFound" }) },
      seen: "dead http_404 C2",
    },
    {
      what: "a file for some, without a word why",
      url: WEIGHTS,
      web: { [WEIGHTS_AT]: refused(401, {}) },
      seen: "unknown http_401",
    },
    {
      what: "a file of a missing branch",
      url: WEIGHTS,
      web: { [WEIGHTS_AT]: refused(404, { "X-Error-Code": "RevisionNotFound" }) },
      seen: "dead service_not_found C2",
    },
    {
      what: "disabled",
      url: WEIGHTS,
      web: {
        [WEIGHTS_AT]: refused(403, { "X-Error-Message": "Access to this resource is disabled." }),
      },
      seen: "dead service_takedown C1",
    },
    {
      what: "failing",
      url: MODEL,
      web: { "huggingface.co/openai-community/gpt2": 503 },
      seen: "unknown http_503",
    },
  ],
});

const DOI = "https://doi.org/10.1000/182";
const HANDLE = "doi.org/api/handles/10.1000/182";

tellOf("doi", {
  urls: [DOI, "https://dx.doi.org/10.1000/182", "https://www.DOI.org/"],
  rows: [
    {
      what: "registered",
      url: DOI,
      web: { [HANDLE]: json({ responseCode: 1, handle: "10.1000/182", values: [] }) },
      seen: "active ok_service",
      asked: [`GET https://${HANDLE}`],
    },
    {
      what: "registered with more than one slash and with brackets",
      url: "https://dx.doi.org/10.1002/(SICI)1097-4571/49:8",
      web: {
        "doi.org/api/handles/10.1002/(SICI)1097-4571/49:8": json({
          responseCode: 1,
          handle: "10.1002/(SICI)1097-4571/49:8",
        }),
      },
      seen: "active ok_service",
      asked: ["GET https://doi.org/api/handles/10.1002/(SICI)1097-4571/49:8"],
    },
    {
      what: "not registered",
      url: DOI,
      web: { [HANDLE]: json({ responseCode: 100, handle: "10.1000/182" }, 404) },
      seen: "dead service_not_found C1",
    },
    {
      what: "not asked about for the moment, and leads somewhere",
      url: DOI,
      web: {
        [HANDLE]: json({ responseCode: 2, message: "error" }, 500),
        "doi.org/10.1000/182": to("https://publisher.test/handbook"),
        "publisher.test/handbook": "<title>DOI Handbook</title>",
      },
      seen: "active ok_service",
    },
    {
      what: "not asked about for the moment, and leads nowhere",
      url: DOI,
      web: { [HANDLE]: 500, "doi.org/10.1000/182": "<title>DOI</title><h1>Please wait</h1>" },
      seen: "unknown service_probe_failed",
    },
    {
      what: "not asked about for the moment, and leads to a missing page",
      url: DOI,
      web: {
        [HANDLE]: 500,
        "doi.org/10.1000/182": to("https://publisher.test/handbook"),
        "publisher.test/handbook": 404,
      },
      seen: "dead http_404 C2",
    },
    {
      what: "not asked about for the moment, and missing",
      url: DOI,
      web: { [HANDLE]: page("<h1>Sorry</h1>", 404), "doi.org/10.1000/182": 404 },
      seen: "dead http_404 C2",
    },
  ],
});

const PAPER = "https://arxiv.org/abs/1706.03762";

tellOf("arxiv", {
  urls: [
    PAPER,
    "https://www.arxiv.org/pdf/1706.03762v7",
    "https://export.arxiv.org/abs/1706.03762",
  ],
  rows: [
    {
      what: "a paper",
      url: PAPER,
      web: {
        "arxiv.org/abs/1706.03762":
          "<title>[1706.03762] Attention Is All You Need</title><h1>Attention Is All You Need</h1>",
      },
      seen: "active ok",
    },
    {
      what: "withdrawn",
      url: PAPER,
      web: {
        "arxiv.org/abs/1706.03762":
          "<title>[1706.03762] On Something</title><h1>On Something</h1><p>This paper has been withdrawn by Jane Doe</p>",
      },
      seen: "active ok",
    },
    {
      what: "a file",
      url: "https://arxiv.org/pdf/1706.03762",
      web: { "arxiv.org/pdf/1706.03762": file("application/pdf") },
      seen: "active ok",
      asked: ["GET https://arxiv.org/pdf/1706.03762"],
    },
    {
      what: "missing",
      url: PAPER,
      web: { "arxiv.org/abs/1706.03762": page("<h1>Article not found</h1>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "refused",
      url: PAPER,
      web: { "arxiv.org/abs/1706.03762": page("<h1>Access Denied</h1>", 403) },
      seen: "unknown http_403",
    },
  ],
});

const ARTICLE = "https://en.wikipedia.org/wiki/Athena";

tellOf("wikipedia", {
  urls: [
    ARTICLE,
    "https://de.m.wikipedia.org/wiki/Athene",
    "https://www.wikipedia.org/",
    "https://EN.Wikipedia.org/w/index.php?title=Athena",
  ],
  rows: [
    {
      what: "an article",
      url: ARTICLE,
      web: {
        "en.wikipedia.org/wiki/Athena":
          "<title>Athena - Wikipedia</title><h1>Athena</h1><p>Athena is a goddess.</p>",
      },
      seen: "active ok",
    },
    {
      what: "missing",
      url: ARTICLE,
      web: {
        "en.wikipedia.org/wiki/Athena": page(
          "<title>Athena - Wikipedia</title><p>Wikipedia does not have an article with this exact name.</p>",
          404,
        ),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "asked for too often",
      url: ARTICLE,
      web: { "en.wikipedia.org/wiki/Athena": text("Too many requests", 429) },
      seen: "unknown http_429",
    },
    {
      what: "failing",
      url: ARTICLE,
      web: { "en.wikipedia.org/wiki/Athena": 503 },
      seen: "unknown http_503",
      asked: [`GET ${ARTICLE}`],
    },
  ],
});

const QUESTION = "https://stackoverflow.com/questions/11227809/why-is-it-faster";
const QUESTION_AT = "stackoverflow.com/questions/11227809/why-is-it-faster";

tellOf("stackexchange", {
  urls: [
    QUESTION,
    "https://unix.stackexchange.com/q/1",
    "https://es.stackoverflow.com/a/1",
    "https://serverfault.com/",
    "https://superuser.com/",
    "https://askubuntu.com/",
    "https://mathoverflow.net/",
    "https://stackapps.com/",
  ],
  rows: [
    {
      what: "a question",
      url: QUESTION,
      web: {
        [QUESTION_AT]:
          "<title>java - Why is it faster? - Stack Overflow</title><h1>Why is it faster?</h1><p>In this C++ code, sorting the data makes the loop six times faster.</p>",
      },
      seen: "active ok",
    },
    {
      what: "deleted",
      url: QUESTION,
      web: {
        [QUESTION_AT]: page(
          "<title>Page not found - Stack Overflow</title><h1>Page not found</h1><p>This question was removed.</p>",
          404,
        ),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "walled",
      url: QUESTION,
      web: { [QUESTION_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "asked for too often",
      url: QUESTION,
      web: { [QUESTION_AT]: page("<h1>Too many requests</h1>", 429) },
      seen: "unknown http_429",
    },
  ],
});

const ITEM = "https://archive.org/details/Cops1922";
const METADATA = "archive.org/metadata/Cops1922";
const THERE = json({ created: 1, metadata: { identifier: "Cops1922" }, files: [] });
const QUOTES =
  "<div><p>Item not available</p><p>Items may be taken down for various reasons</p></div>";
/** One answer after the other, and the last for ever. */
const inTurn =
  (...answers: Response[]) =>
  () =>
    (answers.length > 1 ? answers.shift()! : answers[0]!).clone();
const TAKEN = "https://archive.org/download/Cops1922/Cops-v2.mp4";

tellOf("archive-org", {
  urls: [ITEM, "https://www.archive.org/download/Cops1922/", "https://ia800300.us.archive.org/1/a"],
  rows: [
    {
      what: "an item",
      url: ITEM,
      web: { [METADATA]: THERE },
      seen: "active ok_service",
      asked: [`GET https://${METADATA}`],
    },
    {
      what: "dark",
      url: ITEM,
      web: { [METADATA]: json({ is_dark: true, metadata: { identifier: "Cops1922" } }) },
      seen: "dead service_deleted C1",
    },
    {
      what: "an item of little metadata",
      url: ITEM,
      web: { [METADATA]: json({ created: 1, server: "ia800300.us.archive.org", files: [] }) },
      seen: "active ok_service",
      asked: [`GET https://${METADATA}`],
    },
    ...[
      json({ error: "Not available" }),
      json({ created: 1, is_dark: "unknown" }),
      json({ created: 1, files: [] }, 500),
      json("offline"),
    ].map((answer, i) => ({
      what: `asked about in vain for the ${["first", "second", "third", "fourth"][i]} reason, and missing`,
      url: ITEM,
      web: { [METADATA]: answer, "archive.org/details/Cops1922": 404 },
      seen: "dead http_404 C2",
    })),
    {
      what: "unknown to the metadata, and a book that quotes what the archive says of others",
      url: ITEM,
      web: {
        [METADATA]: json({}),
        "archive.org/details/Cops1922": `<title>Cops</title><section class="item-details-metadata"><h1>Cops</h1>${QUOTES}</section>`,
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "asked about in vain, and a book of another make that quotes so",
      url: ITEM,
      web: {
        [METADATA]: json({ error: "Try again" }, 503),
        "archive.org/details/Cops1922": `<title>Cops</title><h1><span itemprop="name">Cops</span></h1>${QUOTES}`,
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "unknown to the metadata, and spoken of in a review",
      url: ITEM,
      web: {
        [METADATA]: json({}),
        "archive.org/details/Cops1922":
          "<title>Cops</title><h1>Cops</h1><p>As they say: Items may be taken down for various reasons. You must log in to view this content!</p>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "missing",
      url: ITEM,
      web: { [METADATA]: json({}), "archive.org/details/Cops1922": 404 },
      seen: "dead http_404 C2",
      asked: [`GET https://${METADATA}`, `GET ${ITEM}`],
    },
    {
      what: "unknown to the metadata, and shown",
      url: ITEM,
      web: {
        [METADATA]: json({}),
        "archive.org/details/Cops1922": "<title>Cops : Buster Keaton</title><h1>Cops</h1>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "unknown to the metadata, and taken down",
      url: ITEM,
      web: {
        [METADATA]: 500,
        "archive.org/details/Cops1922":
          "<h1>Item not available</h1><p>This item is no longer available.</p><p>Items may be taken down for various reasons, including by decision of the uploader.</p>",
      },
      seen: "dead service_deleted C2",
    },
    {
      what: "for those who signed in",
      url: ITEM,
      web: {
        [METADATA]: page("<h1>Bad gateway</h1>", 502),
        "archive.org/details/Cops1922":
          "<h1>Item not available</h1><p>You must log in to view this content</p>",
      },
      seen: "unknown login_required",
    },
    {
      what: "offline as all of the archive",
      url: ITEM,
      web: {
        [METADATA]: 503,
        "archive.org/details/Cops1922":
          "<title>Internet Archive: Scheduled Maintenance</title><p>Internet Archive services are temporarily offline.</p>",
      },
      seen: "unknown service_unavailable",
    },
    {
      what: "a file",
      url: TAKEN,
      web: {
        [METADATA]: THERE,
        "archive.org/download/Cops1922/Cops-v2.mp4": to(
          "https://ia800300.us.archive.org/1/Cops.mp4",
        ),
        "ia800300.us.archive.org/1/Cops.mp4": file("video/mp4"),
      },
      seen: "active ok_service",
    },
    {
      what: "a file that the item lacks",
      url: TAKEN,
      web: { [METADATA]: THERE, "archive.org/download/Cops1922/Cops-v2.mp4": 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "a file that the item lacks, which then goes dark",
      url: TAKEN,
      web: {
        [METADATA]: inTurn(THERE, json({ is_dark: true })),
        "archive.org/download/Cops1922/Cops-v2.mp4": 404,
      },
      seen: "dead service_deleted C2",
    },
    {
      what: "a page of its blog",
      url: "https://blog.archive.org/details/news",
      web: { "blog.archive.org/details/news": "<title>News</title><h1>News</h1><p>Servers.</p>" },
      seen: "active ok",
    },
    {
      what: "a file on one of its servers",
      url: "https://ia800300.us.archive.org/download/Cops1922/a.mp4",
      web: { "ia800300.us.archive.org/download/Cops1922/a.mp4": file("video/mp4") },
      seen: "active ok",
    },
    {
      what: "a file of a dark item",
      url: TAKEN,
      web: { [METADATA]: json({ is_dark: true }) },
      seen: "dead service_deleted C1",
    },
    {
      what: "a file that may not be downloaded",
      url: TAKEN,
      web: { [METADATA]: THERE, "archive.org/download/Cops1922/Cops-v2.mp4": 401 },
      seen: "unknown http_401",
    },
  ],
});

const CAPTURE = "https://web.archive.org/web/20101010101010/https://example.org/page";
const CAPTURE_AT = "web.archive.org/web/20101010101010/https://example.org/page";
const MEMENTO = { "Memento-Datetime": "Sun, 10 Oct 2010 10:10:10 GMT" };
const saved = (html: string, status = 200) => page(html, status, MEMENTO);
const own = (words: string) =>
  `<title>Wayback Machine</title><h1>Wayback Machine</h1><div id="error"><h2>Hrm.</h2><p>${words}</p></div>`;

tellOf("wayback", {
  urls: [
    CAPTURE,
    "https://wayback.archive.org/web/2010/http://example.org/",
    "https://WEB.archive.org/web/*/example.org",
  ],
  rows: [
    {
      what: "a page that was saved",
      url: CAPTURE,
      web: { [CAPTURE_AT]: saved("<title>A page</title><h1>A page</h1>") },
      seen: "active ok_service",
      asked: [`GET ${CAPTURE}`],
    },
    {
      what: "an error page that was saved",
      url: CAPTURE,
      web: { [CAPTURE_AT]: saved("<title>404 Not Found</title><h1>Not Found</h1>", 404) },
      seen: "active ok_service",
    },
    {
      what: "a wall that was saved",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: saved(
          '<title>Security check</title><h1>Are you a human?</h1><div class="g-recaptcha"></div>',
          403,
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a file that was saved",
      url: "https://web.archive.org/web/20101010id_/http://example.org/a.pdf",
      web: {
        "web.archive.org/web/20101010id_/http://example.org/a.pdf": to(
          "/web/20101011000000id_/http://example.org/a.pdf",
        ),
        "web.archive.org/web/20101011000000id_/http://example.org/a.pdf": new Response("%PDF-1.4", {
          headers: { "Content-Type": "application/pdf", ...MEMENTO },
        }),
      },
      seen: "active ok_service",
    },
    {
      what: "a missing page of a parked domain that was saved, told by the banner",
      url: "https://web.archive.org/web/example.org",
      web: {
        "web.archive.org/web/example.org": page(
          `<!-- BEGIN WAYBACK TOOLBAR INSERT --><div id="wm-ipp-base"></div>
<script src="//sedoparking.com/frmpark/example.org/sedonewreg/park.js"></script>`,
          404,
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a page that was saved, told by the script that keeps it in its time",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: '<script>__wm.wombat("https://example.org/page","2010")</script><h1>404</h1>',
      },
      seen: "active ok_service",
    },
    {
      what: "a document that was saved, in a frame",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: '<title>Wayback</title><iframe id="playback" src="/web/2010if_/a"></iframe>',
      },
      seen: "active ok_service",
    },
    {
      what: "a redirect that was saved",
      url: CAPTURE,
      web: { [CAPTURE_AT]: own("Got an HTTP 302 response at crawl time. Redirecting to…") },
      seen: "active ok_service",
    },
    {
      what: "never saved",
      url: CAPTURE,
      web: { [CAPTURE_AT]: page(own("The Wayback Machine has not archived that URL."), 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "never saved, in its older words",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: page(own("Wayback Machine doesn't have that page archived."), 404),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "never saved, in other words",
      url: CAPTURE,
      web: { [CAPTURE_AT]: page(own("Wayback Machine hasn't archived that URL."), 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "never saved, without a word",
      url: CAPTURE,
      web: { [CAPTURE_AT]: page("<title>Wayback Machine</title><h1>Hrm.</h1>", 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "another page that says what the archive would",
      url: CAPTURE,
      web: { [CAPTURE_AT]: own("The Wayback Machine has not archived that URL.") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "excluded",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: page(own("Sorry. This URL has been excluded from the Wayback Machine."), 403),
      },
      seen: "unknown service_private",
    },
    {
      what: "closed by robots.txt",
      url: CAPTURE,
      web: { [CAPTURE_AT]: page(own("Page cannot be displayed due to robots.txt."), 403) },
      seen: "unknown service_private",
    },
    {
      what: "none of its own pages",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: "<title>404 Not Found</title><h1>Not Found</h1><p>nginx</p>",
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "offline",
      url: CAPTURE,
      web: {
        [CAPTURE_AT]: "<p>Internet Archive services are temporarily offline.</p>",
      },
      seen: "unknown service_unavailable",
    },
    { what: "failing", url: CAPTURE, web: { [CAPTURE_AT]: 504 }, seen: "unknown http_504" },
    { what: "limited", url: CAPTURE, web: { [CAPTURE_AT]: 429 }, seen: "unknown http_429" },
    {
      what: "a calendar",
      url: "https://web.archive.org/web/2020*/example.org",
      web: {
        "web.archive.org/web/2020*/example.org": "<title>Wayback Machine</title><h1>Calendar</h1>",
      },
      seen: "active ok",
    },
  ],
});

const PASTE = "https://pastebin.com/cRYvK4jb";
const PASTE_AT = "pastebin.com/cRYvK4jb";

tellOf("pastebin", {
  urls: [PASTE, "https://www.pastebin.com/raw/cRYvK4jb", "https://PASTEBIN.com/u/someone"],
  rows: [
    {
      what: "a paste, however it is called",
      url: PASTE,
      web: {
        [PASTE_AT]:
          '<title>404 Not Found - Pastebin.com</title><h1>404 Not Found</h1><a href="/report/cRYvK4jb">report</a>',
      },
      seen: "active ok_service",
      asked: [`GET ${PASTE}`],
    },
    {
      what: "a paste with a password",
      url: PASTE,
      web: {
        [PASTE_AT]:
          '<title>Pastebin.com - Locked Paste</title><input type="password" id="postpasswordverificationform-password">',
      },
      seen: "active ok_service_protected",
    },
    {
      what: "private",
      url: PASTE,
      web: {
        [PASTE_AT]: page(
          "<h1>Private Paste</h1><p>Error, this is a private paste or is pending moderation.</p>",
          403,
        ),
      },
      seen: "unknown service_private",
    },
    {
      what: "gone",
      url: PASTE,
      web: {
        [PASTE_AT]: page("<h1>Not Found (#404)</h1><p>This page is no longer available.</p>", 404),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "gone, with a way to report it",
      url: PASTE,
      web: { [PASTE_AT]: page('<h1>Not Found</h1><a href="/report/cRYvK4jb">report</a>', 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "the text alone",
      url: "https://pastebin.com/raw/cRYvK4jb",
      web: { "pastebin.com/raw/cRYvK4jb": text("for (;;) {}") },
      seen: "active ok",
    },
    { what: "walled", url: PASTE, web: { [PASTE_AT]: challenge() }, seen: "unknown bot_challenge" },
  ],
});

const SF = "https://sourceforge.net/projects/sevenzip/";
const SF_FILE = "https://sourceforge.net/projects/sevenzip/files/7-Zip/9.20/7z920.exe/download";
const SF_FILE_AT = "sourceforge.net/projects/sevenzip/files/7-Zip/9.20/7z920.exe/download";

tellOf("sourceforge", {
  urls: [SF, "https://downloads.sourceforge.net/project/a/b.zip", "https://sf.net/p/a/"],
  rows: [
    {
      what: "a project",
      url: SF,
      web: {
        "sourceforge.net/projects/sevenzip/":
          "<title>7-Zip download | SourceForge.net</title><h1>7-Zip</h1><p>A file archiver.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a project about files",
      url: SF,
      web: {
        "sourceforge.net/projects/sevenzip/":
          "<title>7-Zip download</title><h1>7-Zip</h1><p>No more: this file could not be found or is not available!</p>",
      },
      seen: "active ok",
    },
    {
      what: "a project's own site",
      url: "https://sevenzip.sourceforge.net/projects/a/files/b",
      web: {
        "sevenzip.sourceforge.net/projects/a/files/b":
          "<title>7-Zip</title><h1>Errors</h1><p>This file could not be found or is not available.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a missing project",
      url: SF,
      web: { "sourceforge.net/projects/sevenzip/": 404 },
      seen: "dead http_404 C2",
    },
    {
      what: "a file",
      url: SF_FILE,
      web: {
        [SF_FILE_AT]:
          "<title>Download 7-Zip | SourceForge.net</title><p>Your download will start shortly.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a folder of files, one of which says what is missing",
      url: SF_FILE,
      web: {
        [SF_FILE_AT]:
          '<title>7-Zip - Browse Files</title><div id="readme"><h2>Errors</h2><p>The "/a" file could not be found or is not available.</p></div>',
      },
      seen: "active ok",
    },
    {
      what: "a file whose project says what is missing",
      url: SF_FILE,
      web: {
        [SF_FILE_AT]:
          '<title>Download 7-Zip</title><p>Your download will start shortly.</p><div class="review"><p>The "/a" file could not be found or is not available.</p></div>',
      },
      seen: "active ok",
    },
    {
      what: "a page of files that quotes what is said of missing ones",
      url: SF_FILE,
      web: {
        [SF_FILE_AT]:
          "<title>7-Zip - Browse Files</title><p>Somebody told us that the file could not be found or is not available.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a missing file",
      url: SF_FILE,
      web: {
        [SF_FILE_AT]: to("https://sourceforge.net/projects/sevenzip/files/"),
        "sourceforge.net/projects/sevenzip/files/":
          '<title>7-Zip - Browse Files</title><div class="notice">The "/7-Zip/9.20/7z920.exe" file could not be found or is not available. Please select another file.</div>',
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a missing file under another name of the site",
      url: "https://downloads.sourceforge.net/project/sevenzip/a.exe",
      web: {
        "downloads.sourceforge.net/project/sevenzip/a.exe": to(
          "https://sourceforge.net/projects/sevenzip/files/a.exe/",
        ),
        "sourceforge.net/projects/sevenzip/files/a.exe/":
          "<p>The &quot;/a.exe&quot; file could not be found or is not available.</p>",
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "refused",
      url: SF,
      web: { "sourceforge.net/projects/sevenzip/": 403 },
      seen: "unknown http_403",
    },
  ],
});

const MOD = "https://www.nexusmods.com/skyrimspecialedition/mods/266";
const MOD_AT = "www.nexusmods.com/skyrimspecialedition/mods/266";

tellOf("nexusmods", {
  urls: [MOD, "https://nexusmods.com/skyrim", "https://users.NexusMods.com/"],
  rows: [
    {
      what: "a mod",
      url: MOD,
      web: {
        [MOD_AT]:
          "<title>Unofficial Skyrim Patch at Skyrim Nexus</title><h1>Unofficial Patch</h1><p>Fixes what the hidden mod menu breaks.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a mod of which somebody says that it was removed",
      url: MOD,
      web: {
        [MOD_AT]:
          "<title>Unofficial Skyrim Patch</title><h1>Unofficial Patch</h1><div class=comment><p>Mod removed</p><p>Hidden mod</p></div>",
      },
      seen: "active ok",
    },
    {
      what: "a mod by such a name",
      url: MOD,
      web: {
        [MOD_AT]:
          '<title>Hidden mod at Skyrim Nexus</title><h1>Hidden mod</h1><ul class="modtabs"><li>Description</li></ul>',
      },
      seen: "active ok",
    },
    {
      what: "hidden",
      url: MOD,
      web: {
        [MOD_AT]:
          "<title>Nexus mods and community</title><h3>Hidden mod</h3><p>This mod has been set as hidden</p>",
      },
      seen: "dead service_deleted C2",
    },
    {
      what: "removed",
      url: MOD,
      web: { [MOD_AT]: "<title>Nexus mods and community</title><h3> Mod removed </h3>" },
      seen: "dead service_deleted C2",
    },
    {
      what: "for adults that signed in",
      url: MOD,
      web: { [MOD_AT]: "<h1>Error</h1><h2>Adult-only content</h2><p>Please sign in.</p>" },
      seen: "unknown login_required",
    },
    { what: "missing", url: MOD, web: { [MOD_AT]: 404 }, seen: "dead http_404 C2" },
    { what: "walled", url: MOD, web: { [MOD_AT]: challenge() }, seen: "unknown bot_challenge" },
  ],
});

const MODDB = "https://www.moddb.com/downloads/a-patch";
const MODDB_AT = "www.moddb.com/downloads/a-patch";

tellOf("moddb", {
  urls: [MODDB, "https://moddb.com/mods/a-mod", "https://media.ModDB.com/a"],
  rows: [
    {
      what: "a download",
      url: MODDB,
      web: { [MODDB_AT]: "<title>A patch download - Mod DB</title><h1>A patch</h1><p>12mb</p>" },
      seen: "active ok",
    },
    {
      what: "a download of which a comment says that it is missing",
      url: MODDB,
      web: {
        [MODDB_AT]:
          "<title>A patch download - Mod DB</title><h5>Filename</h5><span>a.zip</span><p>The download requested could not be found.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a download with a comment that quotes an error",
      url: MODDB,
      web: {
        [MODDB_AT]:
          "<title>A patch download - Mod DB</title><h1>A patch</h1><p>It said: The download requested could not be found.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a mod with a comment that is nothing but such an error",
      url: "https://www.moddb.com/mods/a-mod",
      web: {
        "www.moddb.com/mods/a-mod":
          "<title>A mod - Mod DB</title><h1>A mod</h1><p>The download requested could not be found.</p>",
      },
      seen: "active ok",
    },
    {
      what: "a mod's download that is gone",
      url: "https://www.moddb.com/mods/a-mod/downloads/a-patch",
      web: {
        "www.moddb.com/mods/a-mod/downloads/a-patch":
          "<title>Mod DB</title><p>The download requested could not be found.</p>",
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a download that is gone",
      url: MODDB,
      web: { [MODDB_AT]: "<title>Mod DB</title><p>The download requested could not be found.</p>" },
      seen: "dead service_not_found C2",
    },
    { what: "missing", url: MODDB, web: { [MODDB_AT]: 404 }, seen: "dead http_404 C2" },
    { what: "failing", url: MODDB, web: { [MODDB_AT]: 503 }, seen: "unknown http_503" },
    { what: "walled", url: MODDB, web: { [MODDB_AT]: challenge() }, seen: "unknown bot_challenge" },
  ],
});
