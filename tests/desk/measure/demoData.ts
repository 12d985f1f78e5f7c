import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Exam, ExamCreate } from '@evaluation/rest-contract/schemas';
import { createExam, submit, untilOver, uploadCopy, type ApiClient } from '../../harness/api.ts';

const fixture = (path: string): Promise<Buffer> =>
  readFile(fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url)));

const CANDIDATES = [
  { file: 'strong.pdf', external_id: 'R-17', roll_number: '17', name: 'Asha Rao' },
  { file: 'average.pdf', external_id: 'R-18', roll_number: '18', name: 'Biju Nair' },
  { file: 'weak.pdf', external_id: 'R-19', roll_number: '19', name: 'Chitra Sen' },
] as const;

/** The exam of the demo with its scanned copies, which the worker grades. */
export const submitDemoCopies = async (
  api: ApiClient,
): Promise<{ exam: Exam; submissions: readonly string[] }> => {
  const paper = JSON.parse((await fixture('exams/science.json')).toString('utf8')) as ExamCreate;
  const exam = await createExam(api, paper);
  const submissions: string[] = [];
  for (const { file, ...candidate } of CANDIDATES) {
    const upload_id = await uploadCopy(api, await fixture(`copies/${file}`));
    submissions.push((await submit(api, exam.id, { candidate, upload_id })).id);
  }
  for (const id of submissions) await untilOver(api, id);
  return { exam, submissions };
};
