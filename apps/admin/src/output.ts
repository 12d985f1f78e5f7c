/** One JSON object for a script, or short lines for a person. */
export const print = (answer: object, options: { json?: boolean }, lines: readonly string[]): void => {
  process.stdout.write(options.json === true ? `${JSON.stringify(answer)}\n` : `${lines.join('\n')}\n`);
};

export const JSON_OPTION = ['--json', 'print exactly one JSON object (errors too, on stderr)'] as const;

/** A command's example below its help, as it is typed. */
export const example = (command: string): string => `\nExample:\n  $ npm run --silent admin -- ${command}\n`;
