/*
 * The process behind a terminal (terminal.ts): runs commands one after another, each by the function that the program's
 * `main.ts` calls. Output goes to the stdout and stderr of this process, followed by an end mark.
 */
import { END } from './terminal.ts';

const [entry = '', name = ''] = process.argv.slice(2);
const entries = (await import(entry)) as Record<string, (args: readonly string[]) => Promise<number>>;
const run = entries[name];
if (run === undefined) throw new Error(`${entry} has no ${name}`);

process.on('message', (args: string[]) => {
  void run(args).then((code) => {
    process.stdout.write(END);
    process.stderr.write(END);
    process.send?.(code);
  });
});
process.send?.(0);
