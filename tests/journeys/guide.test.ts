import { randomUUID } from 'node:crypto';
import { coreOverHttp, type CoreAccess, type CoreClient } from '@evaluation/core-client';
import type { Exam, Result } from '@evaluation/rest-contract/schemas';
import { staffActor } from '@evaluation/platform/signed-actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectAccountAddsUp } from '../resilience/expectations.ts';
import { createExam, submit } from '../harness/api.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { CREDITS, startSplitService, type SplitService } from '../harness/processes.ts';
import { replayOf } from '../harness/replayOf.ts';

/*
 * Two teachers mark ten of a hundred typed answers, preview what the guide learned, apply it, undo it, apply it again,
 * audit five results and finalize. The steps build on each other. Marks, audit, evidence and credits are compared after
 * each step. The baseline grades; its worker is killed while it grades.
 */

const CANDIDATES = 100;
const MARKED = 10;
const POINTS = [
  'chlorophyll absorbs sunlight',
  'water splits into oxygen',
  'carbon dioxide enters through stomata',
  'glucose stores the energy',
];
const OPENINGS = ['I think that', 'As we learned,', 'In a leaf', 'By day', 'Because'];

/** The teacher gives a mark for each point. */
const answerOf = (index: number): { text: string; deserved: number } => {
  const made = POINTS.filter((_, point) => ((index >> point) & 1) === 1);
  const content = made.length === 0 ? 'plants are green' : made.join(' and ');
  return {
    text: `${OPENINGS[index % OPENINGS.length] ?? ''} ${content}, number ${index}.`,
    deserved: made.length,
  };
};

type Teacher = CoreClient['public'];

let service: SplitService;
let behind: BehindTheApi;
let core: CoreAccess;
let exam: Exam;
let question: string;
let teachers: [Teacher, Teacher];
const deserved = new Map<string, number>();

beforeAll(async () => {
  service = await startSplitService({ GRADER: 'baseline', LEASE_SECONDS: '2', TYPED_CONCURRENCY: '4' });
  behind = lookBehind(service.database);
  core = coreOverHttp({
    url: service.core().name,
    token: service.environment['CORE_PUBLIC_TOKEN'] ?? '',
    actorSigningKey: service.environment['ACTOR_SIGNING_KEY'] ?? '',
  });
  const teacher = (): Teacher =>
    core.as({
      actor: staffActor({
        institute_id: service.instituteId,
        staff_id: randomUUID(),
        role: 'admin',
        scopes: ['evaluation:read', 'evaluation:review', 'evaluation:finalize'],
      }),
    }).public;
  teachers = [teacher(), teacher()];
  exam = await createExam(
    service.api,
    typedExam([
      mcq('1'),
      longAnswer('2', { text: 'How do plants feed?', max_marks: 4, model_answer: `${POINTS.join('. ')}.` }),
    ]),
  );
  question = exam.questions.find(({ label }) => label === '2')?.id ?? '';
});
afterAll(async () => {
  await behind.close();
  await core.close();
  await service.close();
});

const results = async (): Promise<Result[]> => {
  const found: Result[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await teachers[0].submissions.resultsOfExam.query({
      exam_id: exam.id,
      query: { limit: '50', ...(cursor === undefined ? {} : { cursor }) },
    });
    if (!('data' in page)) throw new Error('results have no data');
    found.push(...page.data);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return found.toSorted((a, b) => (a.submission_id < b.submission_id ? -1 : 1));
};
/** What a teacher sees of each result. */
const marks = async () =>
  (await results()).map(({ submission_id, totals, needs_review, questions }) => ({
    submission_id,
    totals,
    needs_review,
    questions: questions.map(({ label, awarded, source, confidence, review_reasons }) => ({
      label,
      awarded,
      source,
      confidence,
      review_reasons,
    })),
  }));
type Marks = Awaited<ReturnType<typeof marks>>;
const longMark = ({ questions }: Marks[number]) => questions.find(({ label }) => label === '2');
const distance = (seen: Marks): number =>
  seen.reduce(
    (sum, each) => sum + Math.abs((longMark(each)?.awarded ?? 0) - (deserved.get(each.submission_id) ?? 0)),
    0,
  );
const audited = async (action: string): Promise<number> => {
  const [row] = await behind.query<{ count: number }>(
    `select count(*)::int as count from audit_entries where exam_id = $1 and action::text = $2`,
    [exam.id, action],
  );
  return row?.count ?? 0;
};
const expectPaidOnce = async (): Promise<void> => {
  const [account] = await behind.query(
    'select balance::float8, committed::float8 from credit_accounts where institute_id = $1',
    [service.instituteId],
  );
  expect(account).toEqual({ balance: CREDITS - CANDIDATES, committed: 0 });
  await expectAccountAddsUp(behind, service.instituteId);
};
const expectSums = async (): Promise<void> => {
  for (const { totals, questions } of await results()) {
    expect(totals.awarded).toBe(questions.reduce((sum, { awarded }) => sum + (awarded ?? 0), 0));
  }
};
const expectReplays = async (ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    expect((await replayOf(service.environment, id, '--institute', service.instituteId)).differences).toEqual(
      [],
    );
  }
};
/** What a teacher's decision names: the mark of the long answer, and the revision of all marks. */
const onScreen = async (teacher: Teacher, id: string) => {
  const { questions, marks_revision: revision } = await teacher.desk.marking.screen.query({
    submission_id: id,
  });
  const result = questions.find(({ question: { label } }) => label === '2')?.result;
  if (result === undefined) throw new Error('the long answer is not on the screen');
  const { awarded, review } = result;
  return { seen: { awarded, edited_at: review.edited_at, approved: review.approved }, revision };
};
const untilStep = async (teacher: Teacher, command: 'preview' | 'apply' | 'undo', number?: number) => {
  const ends = { preview: 'previewed', apply: 'applied', undo: 'undone' }[command];
  return eventually(`the guide is ${ends}`, async () => {
    const application =
      command === 'preview' || number === undefined
        ? await teacher.guide.preview.mutate({
            exam_id: exam.id,
            ...(number === undefined ? {} : { number }),
          })
        : await teacher.guide[command === 'apply' ? 'applyPreview' : 'undo'].mutate({
            exam_id: exam.id,
            number,
          });
    number = application.number;
    return application.step === ends ? application : undefined;
  });
};

test('a hundred answers are graded once, although the worker is killed in between', async () => {
  const first = await service.startWorker();
  for (let index = 0; index < CANDIDATES; index += 1) {
    const { text, deserved: mark } = answerOf(index);
    const { id } = await submit(service.api, exam.id, {
      candidate: { external_id: `candidate-${index}` },
      answers: [
        { question_label: '1', option_labels: ['B'] },
        { question_label: '2', text },
      ],
    });
    deserved.set(id, mark);
    if (index === CANDIDATES / 2) await first.kill();
  }
  await service.startWorker();
  await eventually('every answer is graded', async () => {
    const [row] = await behind.query<{ count: number }>(
      `select count(*)::int as count from submissions where exam_id = $1 and status = 'graded'`,
      [exam.id],
    );
    return row?.count === CANDIDATES;
  });
  await expectPaidOnce();
  await expectSums();
});

let graded: Marks;
let applied: Marks;
let marked: string[];

test('two teachers mark the ten chosen answers at once', async () => {
  await teachers[0].guide.set.mutate({ exam_id: exam.id, mode: 'apply' });
  const { data } = await teachers[0].marking.next.query({
    exam_id: exam.id,
    question_id: question,
    limit: MARKED,
  });
  marked = data.map(({ submission_id }) => submission_id);
  expect(new Set(marked).size).toBe(MARKED);
  await Promise.all(
    teachers.map(async (teacher, turn) => {
      for (const id of marked.filter((_, index) => index % 2 === turn)) {
        await teacher.submissions.override.mutate({
          submission_id: id,
          question_id: question,
          seen: (await onScreen(teacher, id)).seen,
          body: { reviewer: `teacher ${turn + 1}`, awarded: deserved.get(id) ?? 0 },
        });
      }
    }),
  );
  expect(await audited('override')).toBe(MARKED);
  graded = await marks();
  expect(graded.filter((each) => longMark(each)?.source === 'ai_reviewed')).toHaveLength(MARKED);
  await expectSums();
});

test('a preview counts the changes, changes nothing and costs nothing', async () => {
  const { preview } = await untilStep(teachers[0], 'preview');
  expect(preview).toMatchObject({ credits: 0, skipped: { teacher: MARKED } });
  expect(preview.changed).toBeGreaterThan(0);
  expect(await marks()).toEqual(graded);
  expect(await audited('guide_apply')).toBe(0);
  await expectPaidOnce();
});

test('an application by two teachers at once changes exactly what the preview said, once', async () => {
  const { number, preview } = await untilStep(teachers[1], 'preview');
  await Promise.all(teachers.map((teacher) => untilStep(teacher, 'apply', number)));
  applied = await marks();
  const changes = applied.filter(
    (each, index) => longMark(each)?.awarded !== longMark(graded[index] ?? each)?.awarded,
  );
  expect(changes).toHaveLength(preview.changed);
  expect(await audited('guide_apply')).toBe(preview.written);
  for (const [index, each] of applied.entries()) {
    const before = graded[index];
    expect(each.questions[0]).toEqual(before?.questions[0]);
    if (marked.includes(each.submission_id)) expect(each.questions).toEqual(before?.questions);
    else expect(longMark(each)?.source).toBe('ai');
  }
  expect(distance(applied)).toBeLessThan(distance(graded));
  await expectSums();
  await expectPaidOnce();
  await expectReplays(changes.slice(0, 2).map(({ submission_id }) => submission_id));
});

test('an undo restores each mark exactly', async () => {
  const { in_force } = await teachers[0].guide.show.query({ exam_id: exam.id });
  await Promise.all(teachers.map((teacher) => untilStep(teacher, 'undo', in_force ?? 0)));
  expect(await marks()).toEqual(graded);
  expect(await audited('guide_undo')).toBe(await audited('guide_apply'));
  await expectPaidOnce();
  await expectReplays(graded.slice(0, 1).map(({ submission_id }) => submission_id));
});

test('the second application sets the marks of the first; five audited results and the finalized exam stay', async () => {
  const { number } = await untilStep(teachers[0], 'preview');
  await untilStep(teachers[0], 'apply', number);
  expect(await marks()).toEqual(applied);

  const open = applied.map(({ submission_id }) => submission_id).filter((id) => !marked.includes(id));
  const [corrected, ...confirmed] = open.slice(0, 5);
  await teachers[1].submissions.override.mutate({
    submission_id: corrected ?? '',
    question_id: question,
    seen: (await onScreen(teachers[1], corrected ?? '')).seen,
    body: { reviewer: 'teacher 2', awarded: 0.5 },
  });
  for (const id of confirmed) {
    await teachers[1].submissions.approve.mutate({
      submission_id: id,
      body: {},
      seen_marks_revision: (await onScreen(teachers[1], id)).revision,
    });
  }
  const decided = await marks();
  await teachers[0].exams.finalize.mutate({ exam_id: exam.id, body: { all_graded: true } });
  expect(await audited('finalize')).toBe(CANDIDATES);
  expect(await teachers[0].exams.get.query({ exam_id: exam.id })).toMatchObject({ status: 'finalized' });
  await expectReplays(confirmed.slice(0, 1));

  const { undone } = await untilStep(teachers[0], 'undo', number);
  expect(undone).toMatchObject({ changed: 0 });
  expect(await marks()).toEqual(decided);
  await expectSums();
  await expectPaidOnce();
});
