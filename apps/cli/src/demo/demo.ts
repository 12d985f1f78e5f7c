import { findInstallation, InstallationError } from '@evaluation/platform/installation';
import { readClientSettings, SettingsError, type ClientSettings } from '@evaluation/platform/settings';
import { NEVER_STOPPED, type Stops } from '@evaluation/platform/telemetry/stopSignals';
import type { Result, Submission } from '@evaluation/rest-contract';
import { apiClient, bodyOf, type ApiClient } from './api.ts';
import { saveCheckedCopy } from './checkedCopy.ts';
import { DemoFailure } from './failure.ts';
import { followSubmission } from './follow.ts';
import { readOptions } from './options.ts';
import { readPapers, type Paper } from './papers.ts';
import { showProgress } from './progress.ts';
import { baselineMarked, baselineNote, reportOn } from './report.ts';
import { findOrStartService } from './service.ts';
import { submitPaper, type Submitted } from './submit.ts';
import { plain } from './text.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Line width if stdout is a file or a pipe. */
const COLUMNS = 100;
const columns = (): number => process.stdout.columns ?? COLUMNS;

/**
 * @returns the exit code: 0 everything was graded, 1 something was refused or failed, 2 wrong arguments, 130
 * interrupted
 */
export const runDemo = async (argv: readonly string[], stops: Stops = NEVER_STOPPED): Promise<number> => {
  const { interrupted } = stops;
  try {
    const options = readOptions(argv);
    if (options === null) return 0;
    const settings = readClientSettings();
    const papers = await readPapers(options);
    const service = await findOrStartService(settings, say, stops);
    try {
      const api = apiClient({ ...service, signal: interrupted });
      await show(api, service, papers, settings, interrupted);
    } finally {
      await service.release();
    }
    return 0;
  } catch (error) {
    if (interrupted.aborted) {
      process.stderr.write('interrupted\n');
      return 130;
    }
    if (
      !(error instanceof DemoFailure || error instanceof SettingsError || error instanceof InstallationError)
    ) {
      throw error;
    }
    process.stderr.write(`error: ${plain(error.message)}\n`);
    return error instanceof DemoFailure ? error.exitCode : 1;
  }
};

const show = async (
  api: ApiClient,
  { baseUrl, deskUrl }: { baseUrl: string; deskUrl: string | null },
  papers: readonly Paper[],
  settings: ClientSettings,
  signal: AbortSignal,
): Promise<void> => {
  const account = bodyOf(await api.account.me(), 200, `The key was not accepted at ${baseUrl}`);
  say(`service     ${baseUrl}, as ${plain(account.institute.name)}`);

  const submitted: Submitted[] = [];
  for (const paper of papers) submitted.push(await submitPaper(api, paper, say, signal));

  const readings = await followAll(api, baseUrl, submitted, signal);
  const results: Result[] = [];
  for (const [index, { exam }] of submitted.entries()) {
    const submission = readings[index];
    if (submission === undefined || !isMarked(submission)) continue;
    const result = bodyOf(
      await api.submissions.result({ params: { submissionId: submission.id } }),
      200,
      'The result cannot be read',
    );
    results.push(result);
    say(reportOn(exam, result, columns()));
    if (exam.mode === 'handwritten') {
      say(`Checked copy saved: ${await saveCheckedCopy(api, result, settings.dataDir, signal)}`);
    }
  }
  if (results.some(baselineMarked)) say(baselineNote(columns()));
  if (deskUrl !== null) await nameDesk(deskUrl, submitted, settings);
  complainOf(submitted, readings);
};

const nameDesk = async (
  deskUrl: string,
  submitted: readonly Submitted[],
  settings: ClientSettings,
): Promise<void> => {
  const desk = (await findInstallation(settings.dataDir))?.desk;
  if (desk == null) return;
  for (const { paper, exam } of submitted)
    say(`${plain(paper.name)} at the desk, while \`npm start\` runs: ${deskUrl}/exams/${exam.id}`);
  say(`Sign in there as ${desk.email} with the password in ${settings.dataDir}/service.json`);
};

const followAll = async (
  api: ApiClient,
  baseUrl: string,
  submitted: readonly Submitted[],
  signal: AbortSignal,
): Promise<Submission[]> => {
  const progress = showProgress(process.stdout);
  try {
    return await Promise.all(
      submitted.map(({ paper, exam, submission }) =>
        followSubmission(api, submission, {
          baseUrl,
          mode: exam.mode,
          onReading: progress.add(plain(paper.name), exam.question_count),
          signal,
        }),
      ),
    );
  } finally {
    progress.stop();
  }
};

const isMarked = ({ status }: Submission): boolean => status === 'graded' || status === 'partially_graded';

/** Reports submissions that were accepted but not fully graded, which is not an HTTP error. @throws DemoFailure */
const complainOf = (submitted: readonly Submitted[], readings: readonly Submission[]): void => {
  const complaints = readings.flatMap(({ status, error }, index) => {
    if (status === 'graded') return [];
    const name = submitted[index]?.paper.name ?? '';
    if (status === 'partially_graded')
      return [`${name}: some questions could not be graded; the table says which and why.`];
    return [
      `${name}: grading ended as ${status}${error === null ? '' : `: ${error.code}: ${error.message}`}`,
    ];
  });
  if (complaints.length > 0) throw new DemoFailure(complaints.join('\n'));
};
