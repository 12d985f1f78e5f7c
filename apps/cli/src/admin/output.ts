import type { Command } from 'commander';

/** Prints one JSON object with `--json`, otherwise lines for a person; on stderr if stdout carries other output. */
export const print = (
  answer: object,
  command: Command,
  lines: readonly string[],
  out: NodeJS.WritableStream = process.stdout,
): void => {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  out.write(json === true ? `${JSON.stringify(answer)}\n` : `${lines.join('\n')}\n`);
};

export const commandLine = (command: string): string => `npm run --silent admin -- ${command}`;

export const example = (command: string): string => `\nExample:\n  $ ${commandLine(command)}\n`;
