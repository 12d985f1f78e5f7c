import { RUN_LANES } from '@evaluation/jobs-contract';
import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Actor } from '@evaluation/platform/signed-actor';
import { findExam } from '../../command/locks/findExam.ts';
import { lockExam, type LockedExam } from '../../command/locks/lockExam.ts';
import { newId } from '../../command/newId.ts';
import { savePendingRubricsOfExam } from '../../exams/paper/savePending.ts';
import { queueAgain } from '../review/queueAgain.ts';
import { takePlace } from '../../grading/runs/takePlace.ts';
import type { Services } from '../../command/services.ts';
import { copyExam, mapping } from './copyExam.ts';
import { isOutdated } from './outdated.ts';
import { showSample, type RegradeSample } from './showSample.ts';

/*
 * Grades a few outdated copies by the new rubric for free, so that the institute sees what a regrade changes before it
 * pays for one (docs/internal-teams.md#regrading-after-a-changed-rubric).
 *
 * The sampled copies are submissions to a copy of the exam, at the price 0. Their runs are ordinary runs, so that
 * claim, records, recovery and erasure need no second case, and the original submissions are never touched. Exams of
 * the source `sample` appear in no list and cannot be read by their id.
 */

/**
 * Queues as many copies as the exam has left in the operator's setting `REGRADE_SAMPLE_COPIES`. The copies are chosen
 * evenly at random, and the same ones for the same rubric version.
 * @throws DomainFailure exam_not_found, feature_not_available if the operator pays for no samples,
 * rubric_version_mismatch if the rubrics have changed since the preview
 */
export const startSample = async (
  services: Services,
  actor: Actor,
  examId: string,
  version: number,
): Promise<RegradeSample> => {
  const instituteId = actor.institute_id;
  const most = services.settings.regradeSampleCopies;
  const queued = await services.database.inTenant(instituteId, async (tx) => {
    const found = await findExam(tx, actor, examId);
    if (most === 0) throw new DomainFailure('feature_not_available');
    await savePendingRubricsOfExam(tx, instituteId, found.id);
    const exam = await lockExam(tx, actor, found.id);
    if (exam.rubric_version !== version) throw new DomainFailure('rubric_version_mismatch');
    const chosen = await choose(tx, instituteId, exam, most);
    if (chosen.length > 0) await insertSample(tx, instituteId, exam, chosen);
    return chosen.length;
  });
  if (queued > 0) for (const lane of RUN_LANES) services.wakeDispatcher(lane);
  return showSample(services, actor, examId);
};

/** The lock of the exam keeps two calls from choosing at the same time. */
const choose = async (tx: Tx, instituteId: string, exam: LockedExam, most: number): Promise<string[]> => {
  const version = exam.rubric_version;
  const { rows } = await sql<{ id: string }>`
    select s.id from submissions s
    where ${isOutdated({ instituteId, examId: exam.id, version })}
      and not exists (select from regrade_samples o
        where o.institute_id = s.institute_id and o.exam_id = s.exam_id and o.submission_id = s.id)
    order by md5(s.id::text || ${version}::text)
    limit greatest(0, ${most} - (
      select count(*) from regrade_samples o
      where o.institute_id = ${instituteId} and o.exam_id = ${exam.id}))`.execute(tx);
  return rows.map(({ id }) => id);
};

const insertSample = async (
  tx: Tx,
  instituteId: string,
  exam: LockedExam,
  chosen: readonly string[],
): Promise<void> => {
  const copy = await copyExam(tx, instituteId, exam.id);
  const submissions = chosen.map((id) => ({ old_id: id, new_id: newId() }));
  await sql`
    insert into submissions (id, institute_id, exam_id, candidate_id, upload_id, status, lane, pages, review_reasons,
      current_run_id, attempt_count, questions_total, quote_unit, quote_credits, quote_rate_source, warnings)
    select m.new_id, o.institute_id, ${copy.examId}, o.candidate_id, o.upload_id, 'cancelled', o.lane, o.pages, '{}',
      o.current_run_id, 0, o.questions_total, o.quote_unit, 0, o.quote_rate_source, ${json([])}
    from submissions o join ${mapping(submissions)} on m.old_id = o.id
    where o.institute_id = ${instituteId}`.execute(tx);
  await sql`
    insert into regrade_samples (sample_submission_id, institute_id, exam_id, submission_id, run_id, rubric_version)
    select m.new_id, o.institute_id, o.exam_id, o.id, o.current_run_id, ${exam.rubric_version}
    from submissions o join ${mapping(submissions)} on m.old_id = o.id
    where o.institute_id = ${instituteId}`.execute(tx);
  await sql`
    insert into answers (institute_id, submission_id, question_id, option_labels, text)
    select o.institute_id, m.new_id, q.new_id, o.option_labels, o.text
    from answers o join ${mapping(submissions)} on m.old_id = o.submission_id
    join jsonb_to_recordset(${JSON.stringify(copy.questions)}::jsonb) as q(old_id uuid, new_id uuid)
      on q.old_id = o.question_id
    where o.institute_id = ${instituteId}`.execute(tx);
  const count = submissions.length;
  await tx
    .updateTable('exams')
    .set({ live_submissions: count, live_unfinalized: count })
    .where('institute_id', '=', instituteId)
    .where('id', '=', copy.examId)
    .execute();
  const copied = await tx
    .selectFrom('submissions')
    .selectAll()
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', copy.examId)
    .forUpdate()
    .execute();
  for (const submission of copied) {
    const { run, waits } = await queueAgain(tx, instituteId, { ...exam, id: copy.examId }, submission);
    if (waits) await takePlace(instituteId, run.id).execute(tx);
  }
};
