import { afterAll, expect, test } from 'vitest';
import { approveSeen } from '../../../test/approveSeen.ts';
import { makeGuideExam, markAsDeserved } from '../../../test/guideExam.ts';
import { newTestCore } from '../../../test/newTestCore.ts';
import { readOpenAnswers } from '../queue/openAnswers.ts';
import { readDecided } from '../../exams/paper/markedMaterial.ts';
import { overrideMark } from '../review/overrideMark.ts';
import { countReviewQueue, listReviewQueue } from '../queue/openSubmissions.ts';
import { readAgreement } from '../statistics/agreementOfExam.ts';
import { readMarksDistribution } from '../statistics/marksDistribution.ts';
import { readMarksOfExam } from '../../submissions/marksOfExam.ts';
import { readResultOf } from '../../submissions/results.ts';
import { applyGuide } from './applyGuide.ts';
import { previewGuide } from './previewGuide.ts';
import { setGuide } from './settings.ts';
import { showGuide } from './showGuide.ts';

const { services, client, close } = await newTestCore();
const { database } = services;
afterAll(close);

const CANDIDATES = 120;
const MARKED = 30;

/** An exam of which a teacher has marked thirty submissions, before the guides are applied. */
const previewed = async () => {
  const guide = await makeGuideExam(client, { candidates: CANDIDATES });
  await markAsDeserved(client, guide, MARKED);
  await setGuide(services, guide.actor, guide.exam, { mode: 'apply', target: 0.8 });
  // A call works for some seconds, so a slow machine repeats it.
  let shown = await previewGuide(services, guide.actor, guide.exam, undefined);
  while (shown.step === 'previewing') shown = await previewGuide(services, guide.actor, guide.exam, 1);
  const apply = async (): Promise<void> => {
    do shown = await applyGuide(services, guide.actor, guide.exam, 1);
    while (shown.step === 'applying');
  };
  const results = () =>
    database.inTenant(guide.institute, async (tx) => {
      const read = [];
      for (const { id } of guide.submissions) read.push(await readResultOf(tx, guide.institute, id));
      return read;
    });
  return { ...guide, apply, results };
};

test('results, lists, queues, figures and drawings show the same mark of a guide', async () => {
  const { actor, exam, institute, questions, submissions, apply, results } = await previewed();
  const graded = await results();
  await apply();
  const shown = await results();
  const open = shown.slice(MARKED).flatMap((result) => result.questions.slice(0, 2));
  const before = graded.slice(MARKED).flatMap((result) => result.questions.slice(0, 2));
  expect(open.filter(({ awarded }, index) => awarded !== before[index]?.awarded).length).toBeGreaterThan(10);
  for (const mark of open) expect(mark).toMatchObject({ source: 'ai', review: { edited: false } });
  expect(open.some(({ needs_review }) => !needs_review)).toBe(true);

  const { data } = await readMarksOfExam(services, actor, exam, { limit: CANDIDATES, details: false });
  expect(new Map(data.map(({ submission_id, marks }) => [submission_id, marks]))).toEqual(
    new Map(
      shown.map(({ submission_id, questions: asked }) => [
        submission_id,
        asked.map(({ awarded }) => awarded),
      ]),
    ),
  );

  const figures = await readMarksDistribution(services, actor, exam);
  const first = shown.map((result) => result.questions[0]?.awarded ?? 0);
  expect(figures.questions[0]?.mean).toBeCloseTo(
    first.reduce((sum, mark) => sum + mark, 0) / first.length,
    1,
  );

  const queue = await listReviewQueue(services, actor, {
    exam_id: exam,
    flagged: false,
    own_only: false,
    limit: CANDIDATES,
  });
  const flagged = shown.filter(({ needs_review }) => needs_review);
  expect(
    queue.data.map(({ submission_id, questions: asked }) => [
      submission_id,
      asked.map(({ label, confidence, reasons }) => ({ label, confidence, review_reasons: reasons })),
    ]),
  ).toEqual(
    expect.arrayContaining(
      flagged.map(({ submission_id, questions: asked }) => [
        submission_id,
        asked
          .filter(({ needs_review }) => needs_review)
          .map(({ label, confidence, review_reasons }) => ({ label, confidence, review_reasons })),
      ]),
    ),
  );
  const { reasons } = await countReviewQueue(services, actor);
  const having = (reason: string) =>
    flagged.filter(({ questions: asked }) =>
      asked.some(({ needs_review, review_reasons }) => needs_review && review_reasons.includes(reason)),
    ).length;
  for (const { reason, submissions: count } of reasons) expect(count, reason).toBe(having(reason));

  await database.inTenant(institute, async (tx) => {
    const answers = await readOpenAnswers(
      tx,
      { instituteId: institute, examId: exam, questionId: questions[0] },
      { order: 'confidence', limit: CANDIDATES, characters: 10 },
    );
    expect(answers).toHaveLength(CANDIDATES - MARKED);
    const markOf = new Map(shown.map((result) => [result.submission_id, result.questions[0]]));
    for (const { submission_id, awarded, confidence } of answers) {
      expect(markOf.get(submission_id)).toMatchObject({ awarded, confidence });
    }
    const confidences = answers.map(({ confidence }) => confidence ?? 0);
    expect(confidences).toEqual(confidences.toSorted((one, other) => one - other));

    const last = submissions.at(-1);
    const drawn = await readDecided(tx, { institute_id: institute, run_id: last?.run ?? '' });
    const asShown = shown.at(-1)?.questions ?? [];
    for (const { question_id, awarded, needs_review } of asShown) {
      expect(drawn.find((each) => each.question_id === question_id)).toMatchObject({ awarded, needs_review });
    }
  });
});

test('no example and no figure of agreement counts a mark of a guide as a mark by a teacher or by the grader', async () => {
  const { actor, exam, questions, submissions, apply, results } = await previewed();
  const examples = async () =>
    (await showGuide(services, actor, exam)).questions.map((question) => question.examples);
  const graded = await results();
  const agreement = await readAgreement(services, actor, exam);
  expect(await examples()).toEqual([MARKED, MARKED]);
  await apply();
  expect(await examples()).toEqual([MARKED, MARKED]);
  expect(await readAgreement(services, actor, exam)).toEqual(agreement);

  const [overridden, approved] = [submissions[40]?.id ?? '', submissions[41]?.id ?? ''];
  const confirmed = (await results())[41]?.questions[0]?.awarded;
  await overrideMark(services, actor, overridden, questions[0], { reviewer: 'teacher', awarded: 2.5 });
  await approveSeen(services, actor, approved);
  expect(await examples()).toEqual([MARKED + 2, MARKED + 1]);
  const { rows } = await client.query<{ examples: { submission_id: string }[] }>(
    'select examples from guide_versions where question_id = $1 order by version desc limit 1',
    [questions[0]],
  );
  const used = rows[0]?.examples ?? [];
  expect(used.find(({ submission_id }) => submission_id === overridden)).toMatchObject({
    grader: graded[40]?.questions[0]?.awarded,
    teacher: 2.5,
  });
  expect(used.find(({ submission_id }) => submission_id === approved)).toMatchObject({
    grader: graded[41]?.questions[0]?.awarded,
    teacher: confirmed,
  });
});
