import { run } from "./commands/program.ts";

// Whatever the program writes is for its own user only.
process.umask(0o077);
// An idle connection or a timer holds nothing up.
process.exit(await run(process.argv.slice(2), process.env));
