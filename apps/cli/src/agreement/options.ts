import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { AgreementFailure } from './failure.ts';

export interface AgreementOptions {
  data: string;
  grader?: 'baseline' | 'openai';
  out?: string;
  json: boolean;
  repeats: number;
  sample: number;
  concurrency: number;
  fresh: boolean;
  /** Numbers of marks per question to learn from; absent: nothing is learned. */
  learn?: number[];
  choose: boolean;
  target: number;
  marksOnly: boolean;
}

const EXAMPLES = `
Examples:
  $ npm run agreement -- --data apps/cli/samples/answers.jsonl --grader baseline
  $ OPENAI_API_KEY=... GRADER_MODEL=gpt-4.1 npm run agreement -- --data marked.jsonl --grader openai --repeats 3
  $ npm run agreement -- --data marked.jsonl --grader baseline --marks-only --learn 5,10,20 --choose

A line of the data is one answer: {"question_id", "question", "max_marks", "model_answer" and/or "rubric", "answer",
"human_marks", "human_marks_2"?, "group"?}. See docs/agreement.md.

A run that was interrupted goes on where it stopped when the same command is given again.
Exit codes: 0 report written; 1 the data, the settings or the grader are at fault; 2 the arguments are;
3 report written, but some answers were not graded; 130 interrupted, what was graded is kept.
`;

/** Returns the options, or null after printing the help. @throws AgreementFailure */
export const readOptions = (argv: readonly string[]): AgreementOptions | null => {
  const program = new Command('npm run agreement --')
    .description(
      'Grades answers that people have marked already, and reports how far the grader agrees with them: whether its ' +
        'marks can be trusted, for which questions, and where not.',
    )
    .requiredOption('--data <file>', 'answers with their human marks, JSON lines')
    .addOption(
      new Option('--grader <grader>', 'grader to use (default: from the settings)').choices([
        'baseline',
        'openai',
      ]),
    )
    .option('--out <folder>', 'results and report (default: DATA_DIR/agreement/<data>-<grader>)')
    .option('--json', 'print the report as one JSON object on stdout', false)
    .option('--repeats <n>', 'how often each answer of the sample is graded unchanged', whole(1, 20), 1)
    .option(
      '--sample <n>',
      'number of answers that are repeated and graded with changes',
      whole(0, 100_000),
      30,
    )
    .option('--concurrency <n>', 'answers graded at the same time', whole(1, 200), 6)
    .option('--fresh', 'grade everything again, ignoring earlier results', false)
    .option('--marks-only', 'grade each answer once: no repeats, no changed answers', false)
    .option(
      '--learn <n,n,...>',
      'learn from so many human marks per question and mark the rest by them',
      counts,
    )
    .option('--choose', 'let the guide choose the answers to learn from, instead of drawing them', false)
    .option('--target <share>', 'agreement of what passes without review', share, 0.95)
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new AgreementFailure(
      `${error.message.replace(/^error: /, '')}\nSee npm run agreement -- --help`,
      2,
    );
  }
  return program.opts<AgreementOptions>();
};

const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new InvalidArgumentError(`A whole number from ${least} to ${most}.`);
    }
    return value;
  };

const counts = (text: string): number[] => {
  const values = text.split(',').map(whole(0, 1000));
  return [...new Set(values)].toSorted((a, b) => a - b);
};

const share = (text: string): number => {
  const value = Number(text);
  if (!/^0?\.\d+$/.test(text) || value <= 0)
    throw new InvalidArgumentError('A share between 0 and 1, such as 0.95.');
  return value;
};
