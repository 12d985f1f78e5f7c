import { Command, CommanderError } from 'commander';
import { DemoFailure } from './failure.ts';

export interface DemoOptions {
  exam?: string;
  copy?: string;
  answers?: string;
}

const EXAMPLES = `
Examples:
  $ npm run demo
  $ npm run demo -- --exam my-paper.json --copy my-scan.pdf
  $ npm run demo -- --exam my-typed-paper.json --answers my-answers.json

The service is the one that runs on DATA_DIR (default .data), or the one at API_URL with API_KEY.
Where none runs on DATA_DIR, the demo starts one and stops it at the end.
Every graded copy costs credits; each run creates exams of its own and can be repeated.
`;

/** Returns the options, or null after printing the help. @throws DemoFailure */
export const readOptions = (argv: readonly string[]): DemoOptions | null => {
  const program = new Command('npm run demo --')
    .description(
      'Shows the answer-evaluation service at work: creates exams, uploads and submits a scanned copy, submits ' +
        'typed answers, waits for the marks, prints them and saves the checked copy.',
    )
    .option('--exam <file>', 'your own exam: JSON, a body of POST /exams; its mode decides what is submitted')
    .option('--copy <file>', 'your own scanned copy: PDF, for a handwritten exam (default: a sample copy)')
    .option(
      '--answers <file>',
      'answers to your own typed exam: JSON, a list of {question_label, text or option_labels} (default: its own answer key and model answers)',
    )
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new DemoFailure(`${error.message.replace(/^error: /, '')}\nSee npm run demo -- --help`, 2);
  }
  const options = program.opts<DemoOptions>();
  if (options.answers !== undefined && options.exam === undefined) {
    throw new DemoFailure('--answers belongs to a typed exam of your own: name it with --exam.', 2);
  }
  if (options.answers !== undefined && options.copy !== undefined) {
    throw new DemoFailure('An exam is handwritten (--copy) or typed (--answers), not both.', 2);
  }
  return options;
};
