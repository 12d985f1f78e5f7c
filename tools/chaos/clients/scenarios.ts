import { randomUUID } from 'node:crypto';
import type { Submission, QuestionResult, UploadsCreated } from '@evaluation/rest-contract/schemas';
import { rejectReason } from '@evaluation/rest-contract/upload-rejections';
import { plainPdf } from '../../../tests/harness/pdfs.ts';
import { COPY_MARKS } from '../model/truth.ts';
import { codeOf } from './retrying.ts';
import type { ScenarioSteps } from './scenarioSteps.ts';

/** What one client does with one candidate of its own. A scenario fails if an answer is not as documented. */
export type Scenario = (steps: ScenarioSteps, exams: Exams) => Promise<void>;

export interface Exams {
  typed: string;
  copies: string;
}

const submitAndRead: Scenario = async (steps, { typed }) => {
  const { id } = await steps.submit(typed, { candidate: randomUUID() });
  await steps.untilGraded(id);
  await steps.expectMarks(id);
};

const override = async (steps: ScenarioSteps, submissionId: string): Promise<void> => {
  const { questions } = await steps.expectMarks(submissionId);
  const question = questions[1];
  const marks = steps.book.marks.get(submissionId);
  if (question === undefined || marks === undefined) throw new Error('no question to override');
  const awarded = question.awarded === 0.5 ? 3.5 : 0.5;
  const reply = await steps.client.patch<QuestionResult>(
    `/submissions/${submissionId}/questions/${question.question_id}`,
    { reviewer: 'teacher', awarded },
  );
  steps.expectStatus('override', reply, 200);
  marks[question.label] = awarded;
};

const overrideAndEvaluateAgain: Scenario = async (steps, { typed }) => {
  const { id } = await steps.submit(typed, { candidate: randomUUID() });
  await steps.untilGraded(id);
  await override(steps, id);
  await steps.expectMarks(id);
  await steps.reEvaluate(id);
  await steps.untilGraded(id);
  // The teacher's mark is kept.
  await steps.expectMarks(id);
};

const finalize: Scenario = async (steps, { typed }) => {
  const { id } = await steps.submit(typed, { candidate: randomUUID() });
  await steps.untilGraded(id);
  if (steps.random() < 0.5) await override(steps, id);
  steps.expectStatus('approve', await steps.client.post(`/submissions/${id}/approve`, {}), 200);
  const final = await steps.client.post(`/exams/${typed}/finalize`, { submission_ids: [id] });
  steps.expectStatus('finalize', final, 200);
  const refused = await steps.client.post(`/submissions/${id}/re-evaluate`, {});
  steps.expectStatus('re-evaluate of a finalized one', refused, 409);
  await steps.expectMarks(id);
  if (steps.random() < 0.3) return;
  const opened = await steps.client.post(`/submissions/${id}/unfinalize`, { reason: 'A page was missed.' });
  steps.expectStatus('unfinalize', opened, 200);
  await steps.expectMarks(id);
};

const cancel: Scenario = async (steps, { typed }) => {
  const { id } = await steps.submit(typed, { candidate: randomUUID() });
  const reply = await steps.client.post<Submission>(`/submissions/${id}/cancel`);
  steps.expectStatus('cancel', reply, 200, 409);
  const over = await steps.untilOver(id);
  if (reply.status === 200 && over.status !== 'cancelled')
    throw new Error(`${id} was cancelled and is ${over.status}`);
  if (over.status === 'cancelled') {
    if (over.credits_charged !== null) throw new Error(`${id} was cancelled and charged`);
    await steps.reEvaluate(id);
  }
  await steps.untilGraded(id);
  await steps.expectMarks(id);
};

const replace: Scenario = async (steps, { typed }) => {
  const candidate = randomUUID();
  const first = await steps.submit(typed, { candidate });
  if (steps.random() < 0.5) await steps.untilOver(first.id);
  const second = await steps.submit(typed, { candidate, replace: true });
  steps.book.removed.set(first.id, 'replaced');
  const { body } = await steps.client.get<Submission>(`/submissions/${first.id}`);
  if (body.state !== 'replaced' || body.replaced_by !== second.id)
    throw new Error(`${first.id} is ${body.state}, replaced by ${body.replaced_by}, not by ${second.id}`);
  await steps.untilGraded(second.id);
  await steps.expectMarks(second.id);
};

const remove: Scenario = async (steps, { typed }) => {
  const candidate = randomUUID();
  const { id } = await steps.submit(typed, { candidate });
  if (steps.random() < 0.5) await steps.untilOver(id);
  const reply = await steps.client.delete<unknown>(`/submissions/${id}`);
  // DELETE has no Idempotency-Key: the answer to the first try may be lost, and the second finds nothing.
  steps.expectStatus('delete', reply, ...(reply.tries > 1 ? [200, 404, 409] : [200]));
  steps.book.removed.set(id, 'deleted');
  const again = await steps.submit(typed, { candidate });
  await steps.untilGraded(again.id);
  await steps.expectMarks(again.id);
};

const rivals: Scenario = async (steps, { typed }) => {
  const candidate = { external_id: randomUUID() };
  const send = () => steps.client.post<Submission>(`/exams/${typed}/submissions`, { candidate, answers: [] });
  const replies = await Promise.all([send(), send(), send()]);
  const accepted = replies.filter(({ status }) => status === 202);
  const refused = replies.filter(({ body }) => codeOf(body) === 'submission_exists');
  if (accepted.length !== 1 || refused.length !== 2)
    throw new Error(`of three submissions at once: ${JSON.stringify(replies)}`);
  for (const { body } of accepted) {
    steps.book.accepted.push({ submissionId: body.id, attempt: 1 });
    steps.book.marks.set(body.id, { '1': 0, '2': 0, '3': 0 });
  }
};

/** @returns the upload; null if workers died with the file too often, so that the client uploads it again */
const uploadPage = async (steps: ScenarioSteps): Promise<string | null> => {
  const pdf = plainPdf(1);
  const presigned = await steps.client.post<UploadsCreated>('/uploads', {
    files: [{ file_name: 'copy.pdf', content_type: 'application/pdf', size_bytes: pdf.byteLength }],
  });
  steps.expectStatus('presign', presigned, 201);
  const [address] = presigned.body.uploads;
  if (address === undefined) throw new Error('no address to upload to');
  await putUntilStored(address, pdf);
  for (;;) {
    const upload = await steps.client.get<{ status: string; reject_reason: string | null }>(
      `/uploads/${address.id}`,
    );
    steps.expectStatus('upload', upload, 200);
    if (upload.body.status === 'ready') return address.id;
    if (upload.body.reject_reason === rejectReason('not_checked')) return null;
    if (upload.body.status !== 'pending') throw new Error(`the upload is ${JSON.stringify(upload.body)}`);
  }
};

const copy: Scenario = async (steps, { copies }) => {
  let upload_id = await uploadPage(steps);
  while (upload_id === null) upload_id = await uploadPage(steps);
  const body = { candidate: { external_id: randomUUID() }, upload_id };
  const { id } = await steps.submitBody(copies, body, COPY_MARKS);
  await steps.untilGraded(id);
  const { checked_copy } = await steps.expectMarks(id);
  if (!checked_copy.available) return;
  const pdfReply = await steps.client.download(`/submissions/${id}/checked-copy`);
  steps.expectStatus('checked copy', pdfReply, 200);
};

const PUT_TRIES = 60;

/** A presigned PUT is repeated until the store has the file. */
const putUntilStored = async (
  address: { upload_url: string; headers: Record<string, string> },
  pdf: Uint8Array,
): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await fetch(address.upload_url, {
        method: 'PUT',
        headers: address.headers,
        body: Uint8Array.from(pdf),
        signal: AbortSignal.timeout(10_000),
      });
      await reply.arrayBuffer();
      if (reply.status === 200) return;
      if (reply.status < 500) throw new Error(`the PUT answered ${reply.status}`);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('the PUT')) throw error;
    }
    if (tries === PUT_TRIES) throw new Error('the PUT never succeeded');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
};

/** Scenarios by name, with the share of each. */
export const SCENARIOS: Readonly<Record<string, { run: Scenario; weight: number }>> = {
  'submit and read': { run: submitAndRead, weight: 4 },
  'override and evaluate again': { run: overrideAndEvaluateAgain, weight: 2 },
  finalize: { run: finalize, weight: 2 },
  cancel: { run: cancel, weight: 2 },
  replace: { run: replace, weight: 2 },
  delete: { run: remove, weight: 2 },
  rivals: { run: rivals, weight: 1 },
  copy: { run: copy, weight: 1 },
};
