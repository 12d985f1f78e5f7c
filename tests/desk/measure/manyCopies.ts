import pg from 'pg';
import { PDFDocument } from 'pdf-lib';
import type { Exam } from '@evaluation/rest-contract/schemas';
import { createExam, submit, untilOver, uploadCopy } from '../../harness/api.ts';
import { copyRows } from '../../harness/copyRows.ts';
import { handwrittenExam, longAnswer } from '../../harness/papers.ts';
import { textPdf, untilInspected } from '../../harness/pdfs.ts';
import type { TestService } from '../../harness/service.ts';
import { sample } from './demoData.ts';

const QUESTIONS = 40;
const PAGES = 40;

/**
 * An exam of `copies` scanned copies with 40 pages and 40 marked questions each. One copy is graded by the worker; its
 * rows are written again for the others, and all copies share one file, whose pages are one scanned page.
 */
export const fabricateCopies = async (service: TestService, copies: number): Promise<Exam> => {
  const { api, database } = service;
  const labels = Array.from({ length: QUESTIONS }, (_, index) => String(index + 1));
  const exam = await createExam(
    api,
    handwrittenExam({ questions: labels.map((label) => longAnswer(label)) }),
  );
  const graded = await uploadCopy(
    api,
    textPdf(labels.map((label) => `${label}. Because of this, and because of that.`)),
  );
  const { id: template } = await submit(api, exam.id, {
    candidate: { external_id: 'template' },
    upload_id: graded,
  });
  await untilOver(api, template);
  const scanned = await uploadCopy(api, await scannedPages());
  await untilInspected(api, scanned);

  const tables = new pg.Client({ connectionString: database.superuserUrl });
  await tables.connect();
  try {
    // Neither foreign keys nor triggers are checked.
    await tables.query('set session_replication_role = replica');
    await tables.query(
      `create temp table made as select n, gen_random_uuid() as person, gen_random_uuid() as submission,
         gen_random_uuid() as run, gen_random_uuid() as upload, gen_random_uuid() as registration
       from generate_series(1, ${copies - 1}) n`,
    );
    const all = 'select * from made';
    const ofSubmission = `id = '${template}'`;
    const person = `(select candidate_id from submissions where ${ofSubmission})`;
    const ofRun = `run_id = (select current_run_id from submissions where ${ofSubmission})`;
    await copyRows(tables, 'candidates', `id = ${person}`, all, {
      id: 'n.person',
      external_id: `'C-' || n.n`,
      name: `'Candidate ' || n.n`,
    });
    await copyRows(tables, 'registrations', `exam_id = '${exam.id}' and candidate_id = ${person}`, all, {
      id: 'n.registration',
      candidate_id: 'n.person',
    });
    await copyRows(tables, 'runs', `submission_id = '${template}'`, all, {
      id: 'n.run',
      submission_id: 'n.submission',
    });
    await copyRows(tables, 'question_results', ofRun, all, { run_id: 'n.run' });
    await copyRows(tables, 'page_readings', ofRun, all, { run_id: 'n.run' });
    await copyRows(tables, 'uploads', `id = '${scanned}'`, all, {
      id: 'n.upload',
      submission_id: 'n.submission',
      unneeded_since: 'null',
    });
    await copyRows(tables, 'submissions', ofSubmission, all, {
      id: 'n.submission',
      candidate_id: 'n.person',
      current_run_id: 'n.run',
      upload_id: 'n.upload',
      pages: String(PAGES),
    });
    await copyRows(tables, 'checked_copies', `submission_id = '${template}'`, all, {
      submission_id: 'n.submission',
    });
    await tables.query(
      `update exams set live_submissions = ${copies}, live_unfinalized = ${copies} where id = '${exam.id}'`,
    );
    await tables.query('vacuum analyze');
  } finally {
    await tables.end();
  }
  return exam;
};

/** 40 pages with the first page of a scanned copy of the demo; the file holds its picture once. */
const scannedPages = async (): Promise<Uint8Array> => {
  const scan = await PDFDocument.load(await sample('copies/strong.pdf'));
  const made = await PDFDocument.create();
  const [picture] = await made.embedPages([scan.getPage(0)]);
  if (picture === undefined) throw new Error('the scan has no page');
  for (let page = 0; page < PAGES; page += 1) made.addPage([picture.width, picture.height]).drawPage(picture);
  return made.save();
};
