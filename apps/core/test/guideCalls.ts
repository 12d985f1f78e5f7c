import { afterAll } from 'vitest';
import { makeGuideExam, markAsDeserved, type GuideExam } from './guideExam.ts';
import { newTestCore } from './newTestCore.ts';
import { overrideMark } from '../src/marking/review/overrideMark.ts';
import { applyGuide, undoGuide } from '../src/marking/guide/applyGuide.ts';
import { previewGuide } from '../src/marking/guide/previewGuide.ts';
import { setGuide } from '../src/marking/guide/settings.ts';

/** Joins the guide's mark of a result `r` of submission `s`. */
export const GUIDE_MARK = `left join lateral (select m.* from reviews m
  where m.submission_id = s.id and m.question_id = r.question_id and m.application > 0
  order by m.application desc limit 1) g on true`;

/** A core, and the calls of a teacher to the guides of an exam. Call at the top of a test file. */
export const guideCalls = async () => {
  const { services, client, close } = await newTestCore();
  afterAll(close);

  /** Every stored mark and flag of the exam's results, and the totals that the API would show. */
  const stateOf = async ({ institute, exam }: GuideExam) => {
    const { rows: results } = await client.query<Record<string, unknown>>(
      `select r.run_id, r.question_id, r.status, coalesce(g.awarded, r.awarded)::float8 as awarded,
       coalesce(g.confidence, r.confidence) as confidence, r.source,
       coalesce(g.needs_review, r.needs_review) as needs_review,
       coalesce(g.review_reasons, r.review_reasons) as review_reasons, r.extracted_answer
     from question_results r join submissions s on s.current_run_id = r.run_id
     ${GUIDE_MARK}
     where s.institute_id = $1 and s.exam_id = $2 order by r.run_id, r.question_id`,
      [institute, exam],
    );
    const { rows: submissions } = await client.query<Record<string, unknown>>(
      `select id, status, needs_review, review_reasons, approved_at, finalized_at from submissions
     where institute_id = $1 and exam_id = $2 order by id`,
      [institute, exam],
    );
    return { results, submissions };
  };

  const override = (
    { actor, questions, submissions }: GuideExam,
    index: number,
    question: 0 | 1,
    awarded = submissions[index]?.deserved[question] ?? 0,
  ) =>
    overrideMark(services, actor, submissions[index]?.id ?? '', questions[question], {
      reviewer: 'teacher',
      awarded,
    });

  /** An exam with mode `apply` whose teacher has marked the first answers of both questions. */
  const taught = async (candidates: number, marked: number): Promise<GuideExam> => {
    const guide = await makeGuideExam(client, { candidates });
    await setGuide(services, guide.actor, guide.exam, { mode: 'apply' });
    await markAsDeserved(client, guide, marked);
    return guide;
  };

  /** Repeats a call until its step has ended; each call works for some seconds. */
  const whole = async (work: () => ReturnType<typeof applyGuide>): ReturnType<typeof applyGuide> => {
    for (;;) {
      const shown = await work();
      if (shown.step !== 'applying' && shown.step !== 'undoing') return shown;
    }
  };

  const preview = ({ actor, exam }: GuideExam) => previewGuide(services, actor, exam, undefined);
  const apply = ({ actor, exam }: GuideExam, number: number) =>
    whole(() => applyGuide(services, actor, exam, number));
  const undo = ({ actor, exam }: GuideExam, number: number) =>
    whole(() => undoGuide(services, actor, exam, number));

  /** Starts a pass of an application without working on it. */
  const onlyStart = async ({ institute, exam }: GuideExam, number: number, pass: 'apply' | 'undo') => {
    await client.query(
      `update guide_applications set pass = $3, ended_at = null, after_candidate = null
     where exam_id = $1 and number = $2`,
      [exam, number, pass],
    );
    await client.query('update exam_guides set in_force = $2 where exam_id = $1', [
      exam,
      pass === 'apply' ? number : null,
    ]);
    return { institute_id: institute, exam_id: exam, number };
  };

  /** Rows of `reviews` that an application has written. */
  const marksOf = async ({ exam }: GuideExam, number: number) =>
    (
      await client.query(
        `select m.* from reviews m join submissions s on s.id = m.submission_id
       where s.exam_id = $1 and m.application = $2`,
        [exam, number],
      )
    ).rows;
  return { services, client, stateOf, override, taught, preview, apply, undo, onlyStart, marksOf };
};
