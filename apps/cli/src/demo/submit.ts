import { setTimeout as wait } from 'node:timers/promises';
import type { Exam, Submission } from '@evaluation/rest-contract';
import { ApiRefusal, bodyOf, reasonOf, type ApiClient } from './api.ts';
import { DemoFailure } from './failure.ts';
import type { Paper, Work } from './papers.ts';
import { plain } from './text.ts';

export interface Submitted {
  paper: Paper;
  exam: Exam;
  submission: Submission;
}

const SETTLE_POLL_MS = 500;
const SETTLE_WITHIN_MS = 120_000;

/** Creates the exam with its candidates, uploads a copy if there is one, and submits. @throws DemoFailure */
export const submitPaper = async (
  api: ApiClient,
  paper: Paper,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Submitted> => {
  const exam = await createExam(api, paper, say);
  say(
    `exam        ${plain(exam.title)}: ${exam.mode}, ${exam.question_count} questions, ${exam.total_marks} marks`,
  );
  for (const warning of exam.warnings) say(`  warning   ${warning.code}: ${plain(warning.message)}`);
  say(
    `candidates  ${paper.exam.candidates?.length ?? 0} registered; submitting for ${plain(paper.candidate.external_id)}`,
  );
  if (paper.note !== undefined) say(`note        ${paper.note}`);

  const material =
    paper.work.kind === 'copy'
      ? { upload_id: await uploadCopy(api, paper.work, say, signal) }
      : { answers: paper.work.answers() };
  const submission = bodyOf(
    await api.submissions.create({
      params: { examId: exam.id },
      body: { candidate: paper.candidate, ...material },
    }),
    202,
    'The submission was refused',
  );
  say(`submitted   ${submission.id}, quoted at ${submission.quote.credits} credits`);
  for (const warning of submission.warnings) say(`  warning   ${warning.code}: ${plain(warning.message)}`);
  return { paper, exam, submission };
};

/** Creates the exam, without `external_ref` if that is already in use by an earlier run of the demo. */
const createExam = async (api: ApiClient, { exam }: Paper, say: (line: string) => void): Promise<Exam> => {
  const create = async (body: Paper['exam']) =>
    bodyOf(await api.exams.create({ body }), 201, 'The exam was refused');
  try {
    return await create(exam);
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.code !== 'exam_exists') throw error;
    say(
      `An exam with the external_ref ${JSON.stringify(exam.external_ref)} exists already: creating this one without it.`,
    );
    return create({ ...exam, external_ref: null });
  }
};

/** Presigns, uploads, and polls until the file is inspected (docs/api/lifecycle.md#uploads). */
const uploadCopy = async (
  api: ApiClient,
  copy: Extract<Work, { kind: 'copy' }>,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<string> => {
  const files = [
    { file_name: copy.fileName, content_type: 'application/pdf' as const, size_bytes: copy.pdf.byteLength },
  ];
  const { uploads } = bodyOf(await api.uploads.create({ body: { files } }), 201, 'The upload was refused');
  const [upload] = uploads;
  if (upload === undefined) throw new DemoFailure('The service returned no upload address.');

  // Only the returned headers: the API key must not be sent to the object store.
  const put = await fetch(upload.upload_url, {
    method: 'PUT',
    headers: upload.headers,
    body: copy.pdf,
    signal,
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new DemoFailure(`The upload of ${copy.fileName} failed: ${reasonOf(error)}.`);
  });
  if (!put.ok) throw new DemoFailure(`The object store refused ${copy.fileName} with status ${put.status}.`);

  const giveUpAt = Date.now() + SETTLE_WITHIN_MS;
  for (;;) {
    const state = bodyOf(
      await api.uploads.get({ params: { uploadId: upload.id } }),
      200,
      'The upload cannot be read',
    );
    if (state.status === 'rejected') {
      throw new DemoFailure(
        `The copy ${copy.fileName} was rejected: ${plain(state.reject_reason ?? 'no reason was given')}`,
      );
    }
    if (state.status === 'ready') {
      say(`copy        ${copy.fileName}: ${state.pages ?? '?'} pages uploaded and checked`);
      return upload.id;
    }
    if (Date.now() > giveUpAt)
      throw new DemoFailure(
        `The service has not checked ${copy.fileName} within ${SETTLE_WITHIN_MS / 1000} s: is a worker running?`,
      );
    await wait(SETTLE_POLL_MS, undefined, { signal });
  }
};
