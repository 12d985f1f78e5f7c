import { mkdir, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { createGrader, DEFAULT_TABLE, type Grader, type GraderOptions } from '@evaluation/grader';
import {
  readClientSettings,
  readGraderSettings,
  SettingsError,
  type GraderSettings,
} from '@evaluation/platform/settings';
import { NEVER_STOPPED, type Stops } from '@evaluation/platform/telemetry/stopSignals';
import { analyse, type Report } from './analysis/analyse.ts';
import { pairsOf } from './analysis/pairsOf.ts';
import { readData, type DataSet } from './data/readData.ts';
import { AgreementFailure } from './failure.ts';
import { openResults } from './grading/resultsFile.ts';
import { runTasks, type Outcome } from './grading/run.ts';
import { countTasks, identityOf } from './grading/tasks.ts';
import { GUIDE_CONSTANTS, MODEL_GUIDE_CONSTANTS } from '@evaluation/guide';
import { learn, type Learning } from './analysis/learn.ts';
import { readOptions, type AgreementOptions } from './options.ts';
import { showProgress } from './progress.ts';
import { jsonOf } from './report/json.ts';
import { pageOf, summaryOf } from './report/page.ts';

const note = (line: string): void => void process.stderr.write(`${line}\n`);

export const runAgreement = async (
  argv: readonly string[],
  { interrupted, atOnce }: Stops = NEVER_STOPPED,
): Promise<number> => {
  // Each result is on disk before it is counted, so exiting loses only the calls in flight.
  atOnce.addEventListener('abort', () => process.exit(130), { once: true });
  try {
    const options = readOptions(argv);
    if (options === null) return 0;
    const { report, out } = await makeReport(options, interrupted);
    await writeWhole(join(out, 'report.json'), jsonOf(report));
    await writeWhole(join(out, 'report.html'), pageOf(report));
    note(`report      ${join(out, 'report.html')}`);
    process.stdout.write(options.json ? jsonOf(report) : `${summaryOf(report)}\n`);
    return report.ungraded.length > 0 ? 3 : 0;
  } catch (error) {
    if (interrupted.aborted) {
      note('interrupted; finished judgements are kept, run the same command again to resume');
      return 130;
    }
    if (!(error instanceof AgreementFailure || error instanceof SettingsError)) throw error;
    note(`error: ${error.message}`);
    return error instanceof AgreementFailure ? error.exitCode : 1;
  }
};

const makeReport = async (
  options: AgreementOptions,
  signal: AbortSignal,
): Promise<{ report: Report; out: string }> => {
  const settings = readGraderSettings();
  const graderOptions = optionsOf(settings, options);
  const data = await readData(options.data);
  const grader = await createGrader(graderOptions);
  try {
    const out = resolve(options.out ?? defaultOut(options, grader));
    await mkdir(out, { recursive: true }).catch((error: unknown) => {
      throw new AgreementFailure(`${out} cannot be created: ${error instanceof Error ? error.message : ''}`);
    });
    const results = await openResults(join(out, 'results.jsonl'));
    const plan = options.marksOnly
      ? { repeats: 1, sample: 0 }
      : { repeats: options.repeats, sample: options.sample };
    const total = countTasks(data, plan);
    note(
      `grading     ${data.answers.length} answers by ${grader.provider} ${grader.model}: ${total} judgements`,
    );
    const progress = showProgress(process.stderr, total);
    const started = performance.now();
    try {
      const outcomes = await runTasks(data, grader, results, {
        plan,
        identity: identityOf(graderOptions),
        concurrency: options.concurrency,
        fresh: options.fresh,
        signal,
        onDone: () => progress.step(),
      });
      progress.stop();
      const report = analyse({
        data,
        outcomes,
        plan,
        grader: {
          provider: grader.provider,
          model: grader.model,
          notice: grader.notice,
          temperature: graderOptions.provider === 'openai' ? (graderOptions.temperature ?? null) : null,
          confidenceTable:
            graderOptions.provider === 'openai' ? (graderOptions.confidenceTable ?? DEFAULT_TABLE) : null,
        },
        price: settings.prices.perMillionTokens[grader.model],
        currency: settings.prices.currency,
        wallSeconds: (performance.now() - started) / 1000,
        learning: await learningOf(data, outcomes, options, grader.provider),
        madeAt: new Date(),
      });
      return { report, out };
    } finally {
      progress.stop();
      await results.close();
    }
  } finally {
    await grader.close();
  }
};

/** Learns from the human marks; [] without `--learn`. No other step keeps all texts in memory. */
const learningOf = async (
  data: DataSet,
  outcomes: readonly Outcome[],
  { learn: marked, choose, target }: AgreementOptions,
  provider: 'openai' | 'baseline',
): Promise<Learning[]> => {
  if (marked === undefined) return [];
  const texts = new Map<number, string>();
  for await (const { facts, text } of data.texts()) texts.set(facts.line, text);
  const answers = pairsOf(data, outcomes, null).map((pair) => ({
    ...pair,
    text: texts.get(pair.line) ?? '',
  }));
  const constants = provider === 'baseline' ? GUIDE_CONSTANTS : MODEL_GUIDE_CONSTANTS;
  return learn(answers, { marked, chosen: choose, target, constants }, (count) =>
    note(`learned     from ${count} ${choose ? 'chosen' : 'drawn'} marks per question`),
  );
};

/**
 * Options of the grader; `--grader` overrides the settings. @throws AgreementFailure if the settings do not describe
 * the requested model
 */
const optionsOf = ({ grader }: GraderSettings, options: AgreementOptions): GraderOptions => {
  const provider = options.grader ?? grader.provider;
  if (provider === 'baseline') return { provider };
  if (grader.provider !== 'openai') {
    throw new AgreementFailure(
      '--grader openai needs OPENAI_API_KEY, or GRADER=openai with OPENAI_BASE_URL.',
    );
  }
  return {
    ...grader,
    maxConcurrentCalls: options.concurrency,
    whenRefused: 'fail',
    log: { error: complain, warn: complain },
    onProgress: (event) =>
      note(
        event === 'provider.down'
          ? 'the provider does not answer: waiting for it'
          : 'the provider answers again',
      ),
  };
};

/** Prints a problem of the model as one line; the grader reports each problem at most once a minute. */
const complain = (fields: object, message: string): void => {
  const details = Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    ['status', 'reason', 'n_ctx', 'n_prompt_tokens', 'output_tokens'].includes(name)
      ? [`${name} ${String(value)}`]
      : [],
  );
  note(details.length === 0 ? message : `${message} (${details.join(', ')})`);
};

/** Folder per data set and grader, so that reports of two graders can be compared. */
const defaultOut = (options: AgreementOptions, grader: Grader): string => {
  const name = `${basename(options.data).replace(/\.jsonl?$/, '')}-${grader.model}`;
  return join(readClientSettings().dataDir, 'agreement', name.replace(/[^\w.-]+/g, '_'));
};

/** Writes to a temporary name and renames the file, so that readers see complete files only. */
const writeWhole = async (path: string, text: string): Promise<void> => {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
};
