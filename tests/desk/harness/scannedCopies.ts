import { randomUUID } from 'node:crypto';
import type { Exam } from '@evaluation/rest-contract/schemas';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createExam, submit, untilOver, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { plainPdf } from '../../harness/pdfs.ts';
import type { DeskSuite } from './deskSuite.ts';

const PATIENTLY = { timeout: 20_000 };

/** Copies on the marking screen, of two pages or more. Question 2 is answered on the second page. */
export const scannedCopies = async (desk: DeskSuite) => {
  const { api } = desk.service;
  const exam: Exam = await createExam(api, typedExam([mcq('1'), longAnswer('2')]));
  const questionId = (label: string): string =>
    exam.questions.find((question) => question.label === label)?.id ?? '';

  /** Gives a typed submission the file and the marks of a copy: grading a scan would take seconds of CPU. */
  const becomeCopy = async (submission: string, pdf: Buffer): Promise<void> => {
    const upload = await uploadCopy(api, pdf);
    const read = async () => (await api.get<{ status: string; pages: number }>(`/uploads/${upload}`)).body;
    await expect.poll(async () => (await read()).status, PATIENTLY).toBe('ready');
    const { pages } = await read();
    await behind(desk.service.database, 'update submissions set upload_id = $2, pages = $3 where id = $1', [
      submission,
      upload,
      pages,
    ]);
  };

  /** Gives question 2 a mark and a tick on page 2. */
  const annotate = async (submission: string): Promise<void> => {
    const box = { x: 0.1, y: 0.1, width: 0.5, height: 0.05 };
    await behind(
      desk.service.database,
      `update question_results set annotations = $3, criteria = $4
       where question_id = $2 and run_id = (select current_run_id from submissions where id = $1)`,
      [
        submission,
        questionId('2'),
        JSON.stringify([
          { page: 2, kind: 'mark', box, text: '2: 1/2' },
          { page: 2, kind: 'tick', box, text: 'Cause' },
        ]),
        JSON.stringify([{ name: 'Cause', awarded: 1, max: 1, reason: 'It is named.', evidence: 'OF  this' }]),
      ],
    );
  };
  return {
    exam,
    questionId,
    /** A copy of this many pages with a mark on the second, or a file as it is without marks. */
    newCopy: async (pages: number | Buffer = 2): Promise<string> => {
      const { id } = await submit(api, exam.id, {
        candidate: { external_id: randomUUID() },
        answers: [
          { question_label: '1', option_labels: ['B'] },
          { question_label: '2', text: 'Because of this, I think.' },
        ],
      });
      await untilOver(api, id);
      await becomeCopy(id, typeof pages === 'number' ? plainPdf(pages) : pages);
      if (typeof pages === 'number') await annotate(id);
      return id;
    },
    /** Has the worker draw the checked copy of the present marks, which has the pictures of the pages. */
    drawn: async (submission: string): Promise<void> => {
      await behind(
        desk.service.database,
        `insert into copy_drawings (submission_id, institute_id, wanted_at) values ($1, $2, now())
         on conflict (submission_id) do update set wanted_at = now()`,
        [submission, desk.instituteId],
      );
      const copies = () =>
        behind(
          desk.service.database,
          `select from checked_copies k join submissions s on s.id = k.submission_id and s.marks_revision = k.marks_revision
           where s.id = $1`,
          [submission],
        );
      await expect.poll(copies, PATIENTLY).toHaveLength(1);
    },
    /** Opens question 2 of the copy. @returns the region of the pages */
    open: async (page: Page, submission: string): Promise<Locator> => {
      await page.goto(
        `${desk.url}/exams/${exam.id}/mark?order=copy&submission=${submission}&question=${questionId('2')}`,
      );
      await page.getByRole('heading', { level: 2, name: 'Question 2' }).waitFor();
      return page.getByRole('region', { name: 'Page', exact: true });
    },
  };
};
