import { createInterface } from "node:readline/promises";

/** Asks on the terminal. Ctrl-C and the end of the input are answers too, and mean no. */
export async function isAgreed(question: string): Promise<boolean> {
  const { stdin, stdout, stderr } = process;
  const lines = createInterface({ input: stdin, output: stdout.isTTY ? stdout : stderr });
  const answer = await lines.question(`${question} [y/N] `).catch(() => "");
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
