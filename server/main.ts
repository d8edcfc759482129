import { run } from "./commands/program.ts";

// Whatever the program writes is for its own user only.
process.umask(0o077);
const code = await run(process.argv.slice(2), process.env);
// All that was printed arrives; an idle connection or a timer holds nothing up.
process.stdout.end(() => process.exit(code));
