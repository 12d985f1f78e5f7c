import { randomUUID } from 'node:crypto';
import type { Submission, QuestionResult, UploadsCreated } from '@evaluation/rest-contract/schemas';
import { rejectReason } from '@evaluation/rest-contract/upload-rejections';
import { plainPdf } from '../../harness/pdfs.ts';
import { COPY_MARKS } from '../model/truth.ts';
import { codeOf } from './retrying.ts';
import type { Teller } from './teller.ts';

/** What one client does with one candidate of its own. A story fails if an answer is not as documented. */
export type Story = (teller: Teller, exams: Exams) => Promise<void>;

export interface Exams {
  typed: string;
  copies: string;
}

const submitAndRead: Story = async (teller, { typed }) => {
  const { id } = await teller.submit(typed, { candidate: randomUUID() });
  await teller.untilGraded(id);
  await teller.expectMarks(id);
};

const override = async (teller: Teller, submissionId: string): Promise<void> => {
  const { questions } = await teller.expectMarks(submissionId);
  const question = questions[1];
  const marks = teller.book.marks.get(submissionId);
  if (question === undefined || marks === undefined) throw new Error('no question to override');
  const awarded = question.awarded === 0.5 ? 3.5 : 0.5;
  const reply = await teller.client.patch<QuestionResult>(
    `/submissions/${submissionId}/questions/${question.question_id}`,
    { reviewer: 'teacher', awarded },
  );
  teller.expectStatus('override', reply, 200);
  marks[question.label] = awarded;
};

const overrideAndEvaluateAgain: Story = async (teller, { typed }) => {
  const { id } = await teller.submit(typed, { candidate: randomUUID() });
  await teller.untilGraded(id);
  await override(teller, id);
  await teller.expectMarks(id);
  await teller.reEvaluate(id);
  await teller.untilGraded(id);
  // The teacher's mark is kept.
  await teller.expectMarks(id);
};

const finalize: Story = async (teller, { typed }) => {
  const { id } = await teller.submit(typed, { candidate: randomUUID() });
  await teller.untilGraded(id);
  if (teller.random() < 0.5) await override(teller, id);
  teller.expectStatus('approve', await teller.client.post(`/submissions/${id}/approve`, {}), 200);
  const final = await teller.client.post(`/exams/${typed}/finalize`, { submission_ids: [id] });
  teller.expectStatus('finalize', final, 200);
  const refused = await teller.client.post(`/submissions/${id}/re-evaluate`, {});
  teller.expectStatus('re-evaluate of a finalized one', refused, 409);
  await teller.expectMarks(id);
  if (teller.random() < 0.3) return;
  const opened = await teller.client.post(`/submissions/${id}/unfinalize`, { reason: 'A page was missed.' });
  teller.expectStatus('unfinalize', opened, 200);
  await teller.expectMarks(id);
};

const cancel: Story = async (teller, { typed }) => {
  const { id } = await teller.submit(typed, { candidate: randomUUID() });
  const reply = await teller.client.post<Submission>(`/submissions/${id}/cancel`);
  teller.expectStatus('cancel', reply, 200, 409);
  const over = await teller.untilOver(id);
  if (reply.status === 200 && over.status !== 'cancelled')
    throw new Error(`${id} was cancelled and is ${over.status}`);
  if (over.status === 'cancelled') {
    if (over.credits_charged !== null) throw new Error(`${id} was cancelled and charged`);
    await teller.reEvaluate(id);
  }
  await teller.untilGraded(id);
  await teller.expectMarks(id);
};

const replace: Story = async (teller, { typed }) => {
  const candidate = randomUUID();
  const first = await teller.submit(typed, { candidate });
  if (teller.random() < 0.5) await teller.untilOver(first.id);
  const second = await teller.submit(typed, { candidate, replace: true });
  teller.book.removed.set(first.id, 'replaced');
  const { body } = await teller.client.get<Submission>(`/submissions/${first.id}`);
  if (body.state !== 'replaced' || body.replaced_by !== second.id)
    throw new Error(`${first.id} is ${body.state}, replaced by ${body.replaced_by}, not by ${second.id}`);
  await teller.untilGraded(second.id);
  await teller.expectMarks(second.id);
};

const remove: Story = async (teller, { typed }) => {
  const candidate = randomUUID();
  const { id } = await teller.submit(typed, { candidate });
  if (teller.random() < 0.5) await teller.untilOver(id);
  const reply = await teller.client.delete<unknown>(`/submissions/${id}`);
  // DELETE has no Idempotency-Key: the answer to the first try may be lost, and the second finds nothing.
  teller.expectStatus('delete', reply, ...(reply.tries > 1 ? [200, 404, 409] : [200]));
  teller.book.removed.set(id, 'deleted');
  const again = await teller.submit(typed, { candidate });
  await teller.untilGraded(again.id);
  await teller.expectMarks(again.id);
};

const rivals: Story = async (teller, { typed }) => {
  const candidate = { external_id: randomUUID() };
  const send = () =>
    teller.client.post<Submission>(`/exams/${typed}/submissions`, { candidate, answers: [] });
  const replies = await Promise.all([send(), send(), send()]);
  const accepted = replies.filter(({ status }) => status === 202);
  const refused = replies.filter(({ body }) => codeOf(body) === 'submission_exists');
  if (accepted.length !== 1 || refused.length !== 2)
    throw new Error(`of three submissions at once: ${JSON.stringify(replies)}`);
  for (const { body } of accepted) {
    teller.book.accepted.push({ submissionId: body.id, attempt: 1 });
    teller.book.marks.set(body.id, { '1': 0, '2': 0, '3': 0 });
  }
};

/** @returns the upload; null if workers died with the file too often, so that the client uploads it again */
const uploadPage = async (teller: Teller): Promise<string | null> => {
  const pdf = plainPdf(1);
  const presigned = await teller.client.post<UploadsCreated>('/uploads', {
    files: [{ file_name: 'copy.pdf', content_type: 'application/pdf', size_bytes: pdf.byteLength }],
  });
  teller.expectStatus('presign', presigned, 201);
  const [address] = presigned.body.uploads;
  if (address === undefined) throw new Error('no address to upload to');
  await putUntilStored(address, pdf);
  for (;;) {
    const upload = await teller.client.get<{ status: string; reject_reason: string | null }>(
      `/uploads/${address.id}`,
    );
    teller.expectStatus('upload', upload, 200);
    if (upload.body.status === 'ready') return address.id;
    if (upload.body.reject_reason === rejectReason('not_checked')) return null;
    if (upload.body.status !== 'pending') throw new Error(`the upload is ${JSON.stringify(upload.body)}`);
  }
};

const copy: Story = async (teller, { copies }) => {
  let upload_id = await uploadPage(teller);
  while (upload_id === null) upload_id = await uploadPage(teller);
  const body = { candidate: { external_id: randomUUID() }, upload_id };
  const { id } = await teller.submitBody(copies, body, COPY_MARKS);
  await teller.untilGraded(id);
  const { checked_copy } = await teller.expectMarks(id);
  if (!checked_copy.available) return;
  const pdfReply = await teller.client.download(`/submissions/${id}/checked-copy`);
  teller.expectStatus('checked copy', pdfReply, 200);
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

/** Stories by name, and how often each is played. */
export const STORIES: Readonly<Record<string, { tell: Story; weight: number }>> = {
  'submit and read': { tell: submitAndRead, weight: 4 },
  'override and evaluate again': { tell: overrideAndEvaluateAgain, weight: 2 },
  finalize: { tell: finalize, weight: 2 },
  cancel: { tell: cancel, weight: 2 },
  replace: { tell: replace, weight: 2 },
  delete: { tell: remove, weight: 2 },
  rivals: { tell: rivals, weight: 1 },
  copy: { tell: copy, weight: 1 },
};
