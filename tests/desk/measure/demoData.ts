import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Exam, ExamCreate } from '@evaluation/rest-contract/schemas';
import { createExam, submit, untilOver, uploadCopy, type ApiClient } from '../../harness/api.ts';

const require = createRequire(import.meta.url);
export const sample = (path: string): Promise<Buffer> =>
  readFile(require.resolve(`@evaluation/samples/${path}`));

export const CANDIDATES = [
  { file: 'strong.pdf', external_id: 'R-17', roll_number: '17', name: 'Asha Rao' },
  { file: 'average.pdf', external_id: 'R-18', roll_number: '18', name: 'Biju Nair' },
  { file: 'weak.pdf', external_id: 'R-19', roll_number: '19', name: 'Chitra Sen' },
] as const;

export const sciencePaper = async (): Promise<ExamCreate> =>
  JSON.parse((await sample('exams/science.json')).toString('utf8')) as ExamCreate;

/** The exam of the demo with its scanned copies, which the worker grades. */
export const submitDemoCopies = async (
  api: ApiClient,
): Promise<{ exam: Exam; submissions: readonly string[] }> => {
  const exam = await createExam(api, await sciencePaper());
  const submissions: string[] = [];
  for (const { file, ...candidate } of CANDIDATES) {
    const upload_id = await uploadCopy(api, await sample(`copies/${file}`));
    submissions.push((await submit(api, exam.id, { candidate, upload_id })).id);
  }
  for (const id of submissions) await untilOver(api, id);
  return { exam, submissions };
};
