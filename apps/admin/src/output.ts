import type { Command } from 'commander';

/** One JSON object for a script, or short lines for a person; on stderr where stdout carries something else. */
export const print = (
  answer: object,
  command: Command,
  lines: readonly string[],
  out: NodeJS.WritableStream = process.stdout,
): void => {
  const { json } = command.optsWithGlobals<{ json?: boolean }>();
  out.write(json === true ? `${JSON.stringify(answer)}\n` : `${lines.join('\n')}\n`);
};

/** A command as it is typed. */
export const commandLine = (command: string): string => `npm run --silent admin -- ${command}`;

/** A command's example below its help. */
export const example = (command: string): string => `\nExample:\n  $ ${commandLine(command)}\n`;
