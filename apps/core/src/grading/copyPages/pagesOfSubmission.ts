import { sql } from 'kysely';
import { RecordedPage } from '@evaluation/rules/grading-model';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { isUuid } from '../../command/accept.ts';
import { isOfVisibleExam } from '../../command/locks/visibleExams.ts';
import type { Services } from '../../command/services.ts';
import { accountForPages, type AccountedPage } from './accountForPages.ts';

const Readings = z.array(RecordedPage);
const Alignment = z.array(
  z.object({ number: z.int(), blocks: z.array(z.object({ page: z.int(), block: z.int() })) }),
);

interface CopyPages {
  submission_id: string;
  /** In the order of the copy; empty for typed answers. `questions` are labels. */
  pages: (Omit<AccountedPage, 'questions'> & { questions: { question_id: string; label: string }[] })[];
}

/**
 * Lists the pages of a copy with what each holds, from the readings of the current run. A page without a reading is
 * `not_read`: the run has not read the page yet, or the readings were deleted after READING_RETENTION_DAYS.
 * @throws DomainFailure not_found
 */
export const readPagesOfSubmission = async (
  services: Services,
  actor: Actor,
  submissionId: string,
): Promise<CopyPages> => {
  const rows = isUuid(submissionId)
    ? await services.database.readInTenant(
        actor.institute_id,
        sql<Row>`
          select s.pages, r.alignment,
            (select coalesce(json_agg(p.pages), '[]') from page_readings p
              where p.institute_id = s.institute_id and p.run_id = s.current_run_id) as batches,
            (select coalesce(json_agg(json_build_object('question_id', q.id, 'label', q.label) order by q.position), '[]')
              from questions q where q.institute_id = s.institute_id and q.exam_id = s.exam_id) as questions
          from submissions s
          join runs r on r.institute_id = s.institute_id and r.id = s.current_run_id
          where s.institute_id = ${actor.institute_id} and s.id = ${submissionId} and s.state <> 'deleted'
            and ${isOfVisibleExam(actor)}`,
      )
    : [];
  const [row] = rows;
  if (row === undefined) throw new DomainFailure('not_found');
  const readings = row.batches.flatMap((batch) => Readings.parse(batch));
  const pages = accountForPages(row.pages ?? 0, readings, Alignment.parse(row.alignment ?? []));
  return {
    submission_id: submissionId,
    pages: pages.map(({ questions, ...page }) => ({
      ...page,
      questions: questions.flatMap((number) => row.questions[number - 1] ?? []),
    })),
  };
};

interface Row {
  pages: number | null;
  alignment: unknown;
  batches: unknown[];
  questions: { question_id: string; label: string }[];
}
