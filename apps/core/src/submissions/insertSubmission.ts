import { sql } from 'kysely';
import { json, write, type Tx } from '@evaluation/database';
import type { SubmissionQuote, Warning } from '@evaluation/rest-contract/schemas';
import { PAGES_BEYOND_VISION_LIMIT } from '@evaluation/rules';
import { insertRun, stateAtStartOfRun, type NewRun } from '../grading/runs/insertRun.ts';
import type { Intake } from './takeTypedAnswers.ts';

/** Writes a submission, its answers and its first run. */
export const insertSubmission = async (
  tx: Tx,
  row: {
    instituteId: string;
    submissionId: string;
    examId: string;
    candidateId: string;
    run: NewRun;
    intake: Intake;
    quote: SubmissionQuote;
    metadata: Record<string, unknown> | null;
  },
): Promise<void> => {
  const { instituteId, submissionId, run, intake } = row;
  await write(
    tx,
    tx.insertInto('submissions').values({
      id: submissionId,
      institute_id: instituteId,
      exam_id: row.examId,
      candidate_id: row.candidateId,
      upload_id: intake.uploadId,
      lane: run.lane,
      pages: intake.pages,
      quote_unit: row.quote.unit,
      quote_credits: String(row.quote.credits),
      quote_rate_source: row.quote.rate_source,
      warnings: json([
        ...(intake.beyondVision ? [BEYOND_VISION] : []),
        ...(intake.isRepaired ? [FILE_REPAIRED] : []),
      ]),
      metadata: row.metadata === null ? null : json(row.metadata),
      ...stateAtStartOfRun(
        run,
        { instituteId, examId: row.examId, pages: intake.pages },
        intake.questionsForAi,
      ),
    }),
  );
  if (intake.answers.length > 0) {
    await write(
      tx,
      sql`
        insert into answers (institute_id, submission_id, question_id, option_labels, text)
        select ${instituteId}::uuid, ${submissionId}::uuid, a.question_id,
          array(select jsonb_array_elements_text(a.option_labels)), a.text
        from jsonb_to_recordset(${JSON.stringify(intake.answers)}::jsonb)
          as a (question_id uuid, option_labels jsonb, text text)`,
    );
  }
  await insertRun(tx, { instituteId, submissionId, examId: row.examId, run, intake });
};

const BEYOND_VISION: Warning = {
  code: PAGES_BEYOND_VISION_LIMIT,
  message: 'Pages after the 40th get a simpler text-only read; the copy is flagged for review.',
};

const FILE_REPAIRED: Warning = {
  code: 'file_repaired',
  message:
    'The file was damaged and its pages were recovered. Compare the checked copy with the paper; if a page is missing, scan the copy again.',
};
