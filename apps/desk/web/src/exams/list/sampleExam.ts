import type { ExamCreate } from '@evaluation/rest-contract/schemas';
import average from '@evaluation/samples/copies/average.pdf?url';
import strong from '@evaluation/samples/copies/strong.pdf?url';
import weak from '@evaluation/samples/copies/weak.pdf?url';
import paper from '@evaluation/samples/exams/science.json';
import { calls, client, queryClient, withKey } from '../../app/calls.ts';
import { newKey } from '../../app/newKey.ts';
import type { ChosenCandidate } from '../copies/copyFile.ts';
import { copyQueueOf } from '../copies/copyQueue.ts';
import { readCandidates } from '../copies/useCandidates.ts';

/* The sample: an exam of school science with three scanned copies, made and removed with the calls of any exam. */

const CANDIDATES = [
  { external_id: 'SAMPLE-1', name: 'Asha Rao (sample)', roll_number: '1' },
  { external_id: 'SAMPLE-2', name: 'Biju Nair (sample)', roll_number: '2' },
  { external_id: 'SAMPLE-3', name: 'Chitra Sen (sample)', roll_number: '3' },
];
const COPIES = [strong, average, weak];

/** Makes the sample exam and hands its copies in. @returns the id of the exam */
export const makeSampleExam = async (title: string): Promise<string> => {
  const body = { ...paper, title, open: true, candidates: CANDIDATES } as ExamCreate;
  const { id } = await client.desk.exams.createSample.mutate({ body }, { context: withKey(newKey()) });
  const queue = copyQueueOf(id);
  const chosen = new Map<File, ChosenCandidate>();
  const files = await Promise.all(
    COPIES.map(async (address, index) => {
      const content = await (await fetch(address)).blob();
      const external_id = CANDIDATES[index]?.external_id ?? '';
      const file = new File([content], `${external_id}.pdf`, { type: 'application/pdf' });
      chosen.set(file, { external_id });
      return file;
    }),
  );
  queue.add(files, chosen);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      const isWaiting = queue
        .files()
        .some(({ step }) => step === 'waiting' || step === 'sending' || step === 'checking');
      if (isWaiting) return;
      stop();
      resolve();
    };
    const stop = queue.subscribe(look);
    look();
  });
  await queue.submit();
  return id;
};

/** Removes the sample exam with its copies. A repetition goes on where the last one stopped. */
export const removeSampleExam = async (examId: string): Promise<void> => {
  for (const { submission } of await readCandidates(examId)) {
    if (submission === null) continue;
    const { id, finalized_at: finalizedAt } = await client.submissions.get.query({
      submission_id: submission.id,
    });
    if (finalizedAt !== null)
      await client.submissions.unfinalize.mutate({
        submission_id: id,
        body: { reason: 'The sample exam is removed.' },
      });
    await client.submissions.delete.mutate({ submission_id: id });
  }
  await client.exams.delete.mutate({ exam_id: examId });
  await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
};
