import { createHash, randomUUID } from 'node:crypto';
import { createGrader, type CallEvidence, type Grader } from '../index.ts';
import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import { canonicalJson } from '@evaluation/rules';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  alignRequest,
  answerTo,
  BUNDLE_FORMAT,
  judgeRequest,
  makeRubricRequest,
  readBundle,
  RELEASE,
  replay,
  type EvidenceBundle,
  type Outcome,
} from './index.ts';
import { markedQuestion } from '../../test/markedQuestion.ts';

/* Handmade bundles around real judgements of the baseline, with all that a replay needs. */

let grader: Grader;
let ice: CallEvidence[];
let salt: CallEvidence[];

const mcq = markedQuestion('1', {
  type: 'mcq_single',
  max_marks: 1,
  negative_marks: 0.5,
  options: [
    { label: 'A', text: 'One' },
    { label: 'B', text: 'Two' },
  ],
  correct_options: ['B'],
});
const about = (name: string, keyword: string) => ({
  rubric: { criteria: [{ name, marks: 2, keywords: [keyword] }] },
});
const iceQuestion = markedQuestion('2', about('density', 'density'));
const saltQuestion = markedQuestion('3', about('solution', 'dissolves'));
const exam = { subject: 'Science', level: 'school', board: null, class: null, instructions: null };
const ICE = 'Ice has a lower density than water.';
const SALT = 'Salt dissolves in water.';

beforeAll(async () => {
  grader = await createGrader({ provider: 'baseline' });
  const judge = async (asked: MarkedQuestion, text: string) => {
    const request = judgeRequest(exam, asked, { text, legibility: null, blocks: [] });
    const options = { signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) };
    return (await grader.judgeAnswer(request, options)).evidence;
  };
  ice = await judge(iceQuestion, ICE);
  salt = await judge(saltQuestion, SALT);
});
afterAll(() => grader.close());

const part = (
  kind: EvidenceBundle['parts'][number]['kind'],
  ref: string,
  given: object,
): EvidenceBundle['parts'][number] => {
  const content = kind === 'guide' ? given : { release: RELEASE, ...given };
  const sha256 = createHash('sha256').update(canonicalJson(content)).digest('hex');
  return { kind, ref, sha256, content };
};
const judgedPart = (asked: MarkedQuestion, calls: CallEvidence[]) =>
  part('question', asked.id, { question: asked, reused_from: null, calls });

const nothingRecorded: Outcome = {
  questions: [],
  submission: {
    status: 'graded',
    needs_review: false,
    review_reasons: [],
    totals: { awarded: 0, max: 0, percentage: null, questions_graded: 0, questions_failed: 0 },
  },
};

/** A typed paper: one answer wrong by its key, one judged, one omitted. */
const typed = (change: Partial<EvidenceBundle> = {}): EvidenceBundle => ({
  format: BUNDLE_FORMAT,
  submission: { id: randomUUID(), exam_id: randomUUID(), lane: 'typed', pages: null, approved: false },
  run: { id: randomUUID(), attempt: 1, status: 'completed', rubric_version: 1, grader: null },
  exam,
  questions: [mcq, iceQuestion, saltQuestion],
  answers: [
    { question_id: mcq.id, option_labels: ['A'], text: null },
    { question_id: iceQuestion.id, option_labels: [], text: ICE },
  ],
  overrides: [],
  parts: [judgedPart(iceQuestion, ice)],
  recorded: nothingRecorded,
  ...change,
});

const again = (bundle: EvidenceBundle) => replay(readBundle(JSON.stringify(bundle)));
/** The bundle with its replayed result as the recorded one. */
const consistent = (bundle: EvidenceBundle): EvidenceBundle => ({
  ...bundle,
  recorded: again(bundle).outcome,
});
const standing = (bundle: EvidenceBundle) => again(bundle).outcome.submission;

describe('a typed submission', () => {
  test('is marked by its keys, its judgements and its blanks', () => {
    const { outcome } = again(typed());
    expect(outcome.questions).toMatchObject([
      { status: 'graded', source: 'auto', awarded: -0.5, extracted_answer: 'A', needs_review: false },
      { status: 'graded', source: 'ai', awarded: 2, extracted_answer: ICE, needs_review: true },
      { status: 'not_answered', source: null, awarded: 0, extracted_answer: null },
    ]);
    expect(outcome.submission).toMatchObject({
      status: 'graded',
      needs_review: true,
      totals: { awarded: 1.5, max: 5, percentage: 30, questions_graded: 2, questions_failed: 0 },
    });
  });

  test('replays to the same bytes', () => {
    const bundle = consistent(typed());
    expect(again(bundle)).toEqual({ outcome: bundle.recorded, differences: [] });
  });

  test('a mark that was changed in storage is reported as a difference', () => {
    const { recorded, ...bundle } = consistent(typed());
    const [first, second, third] = recorded.questions;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no questions');
    const questions = [first, { ...second, awarded: 1 }, third];
    expect(again({ ...bundle, recorded: { ...recorded, questions } }).differences).toEqual([
      'questions.1.awarded: recorded 1, replayed 2',
    ]);
  });

  test('a judgement without evidence is reported, and the replay continues', () => {
    const bundle = consistent(typed());
    const { outcome, differences } = again({ ...bundle, parts: [] });
    expect(differences[0]).toBe('question 2: the evidence has no judgement');
    expect(outcome.questions).toHaveLength(2);
  });

  test('evidence of another question is not accepted for this one', () => {
    const text = 'Another question?';
    const moved = judgedPart({ ...iceQuestion, text }, ice);
    expect(again(typed({ parts: [moved] })).differences[0]).toBe(
      'question 2: the question of the evidence differs from the paper',
    );
  });

  test('a rubric that a run made for itself counts, though the paper has none', () => {
    const questions = [mcq, { ...iceQuestion, rubric: null }, saltQuestion];
    expect(again(typed({ questions })).outcome.questions[1]).toMatchObject({ awarded: 2 });
  });

  test('replies to a prompt of another release are reported', () => {
    const other = ice.map((call) => ({ ...call, provider: 'openai', promptVersion: 'judge_answer/0' }));
    const { differences } = again(typed({ parts: [judgedPart(iceQuestion, other)] }));
    expect(differences[0]).toBe('question 2: this release cannot settle replies to judge_answer/0');
  });

  test('evidence of another release is marked by the rules of this one, and a difference names that release', () => {
    const content = { question: iceQuestion, reused_from: null, calls: ice, release: '0.0.9' };
    const bundle = consistent(typed({ parts: [part('question', iceQuestion.id, content)] }));
    expect(again(bundle).differences).toEqual([]);
    const questions = bundle.recorded.questions.map((each) =>
      each.question_id === iceQuestion.id ? { ...each, awarded: 1 } : each,
    );
    expect(again({ ...bundle, recorded: { ...bundle.recorded, questions } }).differences).toEqual([
      `this is release ${RELEASE}, and the evidence was made by release 0.0.9: replay it there`,
      'questions.1.awarded: recorded 1, replayed 2',
    ]);
  });

  test('a question that failed replays as failed', () => {
    const answers = [{ question_id: iceQuestion.id, option_labels: [], text: ICE }];
    const failed = {
      question_id: iceQuestion.id,
      status: 'failed' as const,
      awarded: null,
      max: 2,
      source: null,
      confidence: null,
      needs_review: true,
      review_reasons: ['failed'],
      extracted_answer: ICE,
      feedback: null,
      criteria: [],
      error: { code: 'grading_failed', message: 'The model could not grade this question.' },
    };
    const also = { question_id: saltQuestion.id, option_labels: [], text: SALT };
    const { outcome, differences } = again(
      typed({
        answers: [...answers, also],
        questions: [iceQuestion, saltQuestion],
        parts: [judgedPart(saltQuestion, salt)],
        recorded: { ...nothingRecorded, questions: [failed] },
      }),
    );
    expect(outcome.questions[0]).toEqual(failed);
    expect(outcome.submission).toMatchObject({
      status: 'partially_graded',
      totals: { awarded: 2, max: 4, questions_graded: 1, questions_failed: 1 },
    });
    expect(differences.some((difference) => difference.startsWith('question 2'))).toBe(false);
  });
});

describe('a rubric that the run made', () => {
  const bare = markedQuestion('2');
  const text = 'It is answered in so many words.';
  const made = async (): Promise<{ bundle: EvidenceBundle; calls: CallEvidence[] }> => {
    const options = { signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) };
    const { value, evidence: calls } = await grader.makeRubric(makeRubricRequest(exam, bare), options);
    const marked = { ...bare, rubric: { criteria: value } };
    const request = judgeRequest(exam, marked, { text, legibility: null, blocks: [] });
    const judged = await grader.judgeAnswer(request, options);
    const parts = [part('rubric', bare.id, { question: bare, calls }), judgedPart(marked, judged.evidence)];
    const answers = [{ question_id: bare.id, option_labels: [], text }];
    return { bundle: consistent(typed({ questions: [marked], answers, parts })), calls };
  };

  test('is settled again from its reply and equals the one that the run marked by', async () => {
    const { bundle } = await made();
    expect(again(bundle).differences).toEqual([]);
  });

  test('is reported if the paper has another rubric, or if it was made for another question', async () => {
    const { bundle, calls } = await made();
    const questions = bundle.questions.map((each) => ({ ...each, ...about('Another', 'word') }));
    expect(again({ ...bundle, questions }).differences[0]).toBe(
      'the rubric of question 2: the replayed rubric differs from the recorded one',
    );
    const other = part('rubric', bare.id, { question: { ...bare, max_marks: 4 }, calls });
    expect(again({ ...bundle, parts: [other, ...bundle.parts.slice(1)] }).differences).toEqual([
      'the rubric of question 2: the question of the evidence differs from the paper',
    ]);
  });
});

describe('teachers’ decisions', () => {
  test('teachers’ marks count in totals and flag, and leave the run’s result unchanged', () => {
    const overrides = [{ question_id: iceQuestion.id, awarded: 1 }];
    const { outcome } = again(typed({ overrides }));
    expect(outcome.questions[1]).toMatchObject({ awarded: 2, needs_review: true });
    expect(outcome.submission).toMatchObject({ needs_review: false, totals: { awarded: 0.5 } });
  });

  test('an approved submission has no flag', () => {
    const { submission } = typed();
    expect(standing(typed({ submission: { ...submission, approved: true } }))).toMatchObject({
      needs_review: false,
      review_reasons: [],
    });
  });
});

describe('a copy', () => {
  const box = { x: 0.1, y: 0.1, width: 0.8, height: 0.1 };
  const block = (label: string | null, text: string) => ({
    label,
    continues: false,
    text,
    crossedOut: false,
    box,
  });
  const pages = [
    {
      page: 1,
      legibility: 1,
      language: 'en' as const,
      turn: 0 as const,
      blocks: [block(null, 'Not part of any answer.'), block('Q2', ICE)],
      printed: [],
      unread: [],
    },
  ];
  const questions = [iceQuestion, saltQuestion];
  const copy = async (count: number, change: Partial<EvidenceBundle> = {}): Promise<EvidenceBundle> => {
    const asked = {
      questions: questions.map(({ label, section, type, text }, at) => ({
        number: at + 1,
        label,
        section,
        type,
        text,
      })),
      pages,
    };
    const found = await grader.alignAnswers(asked, {
      signal: new AbortController().signal,
      deadline: new Date(Date.now() + 60_000),
    });
    const facts = [{ page: 1, state: count > 40 ? ('not_drawn' as const) : ('written' as const) }];
    return typed({
      submission: { ...typed().submission, lane: 'copy', pages: count },
      questions,
      answers: [],
      parts: [
        part('pages', '1', { pages, calls: [] }),
        part('alignment', '', { facts, alignment: found.value, calls: found.evidence }),
        judgedPart(iceQuestion, ice),
      ],
      ...change,
    });
  };

  test('is marked by its readings and alignment; unassigned writing is flagged', async () => {
    const { outcome } = again(await copy(1));
    expect(outcome.questions).toMatchObject([
      { status: 'graded', source: 'ai', awarded: 2 },
      {
        status: 'not_answered',
        source: null,
        awarded: 0,
        needs_review: true,
        review_reasons: expect.arrayContaining(['unassigned_writing']),
      },
    ]);
    expect(outcome.submission?.review_reasons).toContain('unassigned_writing');
  });

  test('an answer of invisible characters counts as no answer and is not judged', async () => {
    const unseen = pages.map((page) => ({
      ...page,
      blocks: [block('Q3', '\u200B\u00AD \n'), ...page.blocks],
    }));
    const bundle = await copy(1);
    const blocksOf = (...blocks: number[]) => blocks.map((at) => ({ page: 1, block: at }));
    const alignment = [
      { number: 1, blocks: blocksOf(2) },
      { number: 2, blocks: blocksOf(0) },
    ];
    const parts = [
      part('pages', '1', { pages: unseen, calls: [] }),
      part('alignment', '', { facts: [{ page: 1, state: 'written' as const }], alignment, calls: [] }),
      judgedPart(iceQuestion, ice),
    ];
    const { outcome, differences } = again({ ...bundle, parts });
    expect(outcome.questions[1]).toMatchObject({
      status: 'not_answered',
      awarded: 0,
      extracted_answer: null,
    });
    expect(differences.filter((difference) => difference.startsWith('question 3'))).toEqual([]);
  });

  test('a choice that was read as a label is marked, and a label alone needs a teacher: the replay agrees', async () => {
    const options = { signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) };
    const labelled = pages.map((page) => ({ ...page, blocks: [block('Q1 (b)', ''), block('Q2', '')] }));
    const asked = [mcq, iceQuestion];
    const found = await grader.alignAnswers(alignRequest(asked, labelled), options);
    const answer = answerTo(1, { pages: labelled, alignment: found.value }, mcq);
    const { evidence } = await grader.judgeAnswer(judgeRequest(exam, mcq, answer), options);
    const bundle = consistent(
      await copy(1, {
        questions: asked,
        parts: [
          part('pages', '1', { pages: labelled, calls: [] }),
          part('alignment', '', {
            facts: [{ page: 1, state: 'written' as const }],
            alignment: found.value,
            calls: found.evidence,
          }),
          judgedPart(mcq, evidence),
        ],
      }),
    );
    expect(again(bundle).differences).toEqual([]);
    expect(bundle.recorded.questions).toMatchObject([
      { status: 'graded', awarded: 1, extracted_answer: '(b)' },
      {
        status: 'not_answered',
        awarded: 0,
        source: null,
        needs_review: true,
        review_reasons: ['unclear_answer'],
        extracted_answer: null,
      },
    ]);
    expect(bundle.recorded.submission).toMatchObject({ needs_review: true, review_reasons: [] });
  });

  test('pages beyond the vision limit and damaged pages are flagged', async () => {
    expect(standing(await copy(41))?.review_reasons).toEqual(
      expect.arrayContaining(['pages_beyond_vision_limit', 'unreadable_pages']),
    );
  });

  test('a run that failed before any record has no marks', async () => {
    const bundle = await copy(1, { run: { ...typed().run, status: 'failed' }, parts: [] });
    expect(again(bundle).outcome).toEqual({
      questions: [],
      submission: {
        status: 'failed',
        needs_review: true,
        review_reasons: [],
        totals: { awarded: 0, max: 4, percentage: 0, questions_graded: 0, questions_failed: 2 },
      },
    });
  });
});

describe('a file from outside', () => {
  const refusal = (change: (bundle: EvidenceBundle) => unknown) => {
    try {
      readBundle(JSON.stringify(change(consistent(typed()))));
      return null;
    } catch (error) {
      return error;
    }
  };

  test('a part that does not match its hash is refused before it is interpreted', () => {
    const changed = refusal(({ parts, ...rest }) => ({
      ...rest,
      parts: parts.map(({ content, ...named }) => ({
        ...named,
        content: { ...Object(content), reused_from: randomUUID() },
      })),
    }));
    expect(changed).toMatchObject({ code: 'tampered' });
    const rubbish = refusal(({ parts, ...rest }) => ({
      ...rest,
      parts: parts.map((each) => ({ ...each, content: 'rubbish' })),
    }));
    expect(rubbish).toMatchObject({ code: 'tampered' });
  });

  test('another format, a part of another shape, and text that is not JSON are refused', () => {
    expect(refusal((bundle) => ({ ...bundle, format: 'answer-evaluation/evidence/2' }))).toMatchObject({
      code: 'not_a_bundle',
      message: expect.stringContaining('format') as string,
    });
    expect(refusal((bundle) => ({ ...bundle, parts: [part('question', mcq.id, [])] }))).toMatchObject({
      code: 'not_a_bundle',
    });
    expect(() => readBundle('{')).toThrow('not JSON');
  });

  test('a value nested too deeply is refused', () => {
    const content = '['.repeat(20_000) + ']'.repeat(20_000);
    const text = JSON.stringify(typed({ parts: [part('question', mcq.id, { deep: 'DEEP' })] }));
    expect(() => readBundle(text.replace('"DEEP"', content))).toThrow(
      expect.objectContaining({ code: 'not_a_bundle' }),
    );
  });

  test.each([
    ['pages', '0'],
    ['pages', '\u001b[2J'],
    ['alignment', '1'],
    ['question', '../../etc/passwd'],
    ['rubric', ''],
  ] as const)('a %s part may not be called %j', (kind, ref) => {
    expect(refusal((bundle) => ({ ...bundle, parts: [part(kind, ref, {})] }))).toMatchObject({
      code: 'not_a_bundle',
      message: expect.stringContaining('parts.0.ref') as string,
    });
  });

  test('no control character of the file reaches a terminal', () => {
    const escape = '\u001b[2J\u009b1m\u202e';
    const settings = { [escape]: [] };
    const content = { question: iceQuestion, reused_from: null, calls: [{ ...ice[0], settings }] };
    const refused = refusal((bundle) => ({ ...bundle, parts: [part('question', iceQuestion.id, content)] }));
    const label = `2${escape}`;
    const { differences } = again(typed({ questions: [{ ...iceQuestion, label }], parts: [] }));
    for (const difference of [String(Object(refused).message), ...differences]) {
      for (const character of ['\u001b', '\u009b', '\u202e']) expect(difference).not.toContain(character);
    }
    expect(differences[0]).toContain('question 2\\u001b[2J\\u009b1m\\u202e');
  });

  test('fields in another order are the same bundle', () => {
    const bundle = consistent(typed());
    const turned = Object.fromEntries(Object.entries(bundle).toReversed());
    expect(replay(readBundle(JSON.stringify(turned))).differences).toEqual([]);
  });
});
