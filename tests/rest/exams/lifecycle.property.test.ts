import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  Candidate,
  Exam,
  ExamCreate,
  ExamList,
  Question,
  QuestionInput,
  QuestionList,
} from '@evaluation/rest-contract/schemas';
import { behind } from '../../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { newTenant } from '../../harness/tenant.ts';

const { service, tenant } = await restSuite();

/* Any valid body of a client (docs/api/exams.md#fields): texts of the right length in code points, without NUL. */

const text = (max: number) =>
  fc
    .string({ unit: 'grapheme', maxLength: Math.min(max, 40) })
    .map((value) => [...value].slice(0, max).join(''))
    .filter((value) => !value.includes('\u0000') && value.isWellFormed());
const filled = (max: number) => text(max).map((value) => (value.trim() === '' ? 'x' : value));
const short = (max: number) => filled(max).map((value) => value.replaceAll(/[<>]/g, '≠'));
const left = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.constant(null), fc.constant(undefined));
const halfStep = fc.integer({ min: 1, max: 2000 }).map((halves) => halves / 2);
const word = fc.stringMatching(/^[a-z]{1,12}$/);
const tags = fc.dictionary(word, fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)), {
  maxKeys: 4,
});

const common = {
  parent_label: left(short(16)),
  word_limit: left(fc.integer({ min: 1, max: 5000 })),
  expects_diagram: left(fc.boolean()),
  assess_language: left(fc.boolean()),
  tags: left(tags),
  external_id: left(filled(128)),
  text: filled(2000),
  negative_marks: left(fc.integer({ min: 0, max: 300 }).map((hundredths) => hundredths / 100)),
};
const LABELS = ['A', 'B', 'C', 'D'];
const choice = fc
  .record({
    ...common,
    type: fc.constantFrom('mcq_single' as const, 'mcq_multi' as const, 'true_false' as const),
    max_marks: halfStep,
    texts: fc.array(text(200), { minLength: 2, maxLength: 4 }),
    right: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ texts, right, ...question }) => {
    const options = texts
      .slice(0, question.type === 'true_false' ? 2 : 4)
      .map((option, index) => ({ label: LABELS[index] ?? '', text: option }));
    const correct = question.type === 'mcq_multi' ? ['A', 'B'] : [LABELS[right] ?? ''];
    return { ...question, options, correct_options: correct };
  });
const numeric = fc.record({
  ...common,
  type: fc.constant('numeric' as const),
  max_marks: halfStep,
  answer: fc.oneof(
    fc.integer(),
    fc.constantFrom<(string | (string | number)[])[]>(' 1.50 ', '-2e3', [1, '2.0']),
  ),
});
const oneWord = fc.record({
  ...common,
  type: fc.constant('one_word' as const),
  max_marks: halfStep,
  answer: short(255),
});
const long = fc
  .record({
    ...common,
    type: fc.constant('long_answer' as const),
    model_answer: left(text(2000)),
    partial: left(fc.boolean()),
    marks: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
    names: fc.array(word, { minLength: 4, maxLength: 4 }),
    keywords: left(fc.array(text(255), { maxLength: 3 })),
    hasRubric: fc.boolean(),
  })
  .map(({ partial, marks, names, keywords, hasRubric, ...question }) => ({
    ...question,
    // Halves, so that any sum of them is a multiple of 0.5.
    max_marks: marks.reduce((sum, mark) => sum + mark, 0) / 2,
    rubric: hasRubric
      ? {
          ...(partial === undefined ? {} : { partial_marking: partial }),
          criteria: marks.map((mark, index) => ({
            name: `${names[index]} ${index}`,
            marks: mark / 2,
            ...(keywords === undefined ? {} : { keywords }),
          })),
        }
      : null,
  }));

const SECTIONS = ['Physics', 'Biology', 'Chemistry'];
const exam = fc
  .record({
    title: short(255),
    mode: fc.constantFrom('typed' as const, 'handwritten' as const),
    conducted_on: left(
      fc
        .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((day) => day.toISOString().slice(0, 10)),
    ),
    subject: left(text(120)),
    level: left(fc.constantFrom('school' as const, 'ug' as const, 'pg' as const, 'upsc' as const)),
    board: left(text(64)),
    class: left(text(32)),
    instructions: left(text(4000)),
    blind: left(fc.boolean()),
    orders: left(fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 3, maxLength: 3 })),
    questions: fc.array(
      fc.tuple(fc.oneof(choice, numeric, oneWord, long), fc.integer({ min: -1, max: 2 }), fc.boolean()),
      { maxLength: 5 },
    ),
    candidates: fc.uniqueArray(
      fc.record({
        external_id: filled(60),
        name: left(short(255)),
        roll_number: left(short(64)),
        section_or_class: left(short(64)),
        metadata: left(tags),
      }),
      { maxLength: 3, selector: ({ external_id }) => external_id },
    ),
  })
  .map(({ orders, questions, ...rest }): ExamCreate => {
    const sent = {
      ...rest,
      sections: orders?.map((order, index) => ({ name: SECTIONS[index] ?? '', order })),
      questions: questions.map(([question, section, shouts], index) => ({
        ...question,
        label: `Q${index}`,
        section: shouts ? SECTIONS[section]?.toUpperCase() : SECTIONS[section],
      })),
    };
    // As JSON: fields with the value undefined are omitted.
    return JSON.parse(JSON.stringify(sent)) as ExamCreate;
  });

const sectionsOf = (sent: ExamCreate): { name: string; order: number }[] => {
  if (sent.sections != null && sent.sections.length > 0) {
    return sent.sections.toSorted((a, b) => a.order - b.order);
  }
  const names: string[] = [];
  for (const { section } of sent.questions ?? []) {
    const name = section ?? (names.length === 0 ? 'A' : null);
    if (name !== null && !names.some((other) => other.toLowerCase() === name.toLowerCase())) names.push(name);
  }
  return names.map((name, index) => ({ name, order: index + 1 }));
};

const sectionOf = (question: QuestionInput, sections: { name: string }[]): string =>
  (question.section == null
    ? sections[0]
    : sections.find(({ name }) => name.toLowerCase() === question.section?.toLowerCase())
  )?.name ?? '';

test('any accepted exam reads back as sent, plus the defaults', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(exam, async (sent) => {
      const { api } = tenant;
      const { status, body: made } = await api.post<Exam>('/exams', sent);
      expect({ status, made }).toMatchObject({ status: 201 });
      const sections = sectionsOf(sent);
      const questions = sent.questions ?? [];
      expect(made).toMatchObject({
        status: 'draft',
        title: sent.title,
        mode: sent.mode,
        external_ref: null,
        conducted_on: sent.conducted_on ?? made.created_at.slice(0, 10),
        subject: sent.subject ?? null,
        level: sent.level ?? 'school',
        board: sent.board ?? null,
        class: sent.class ?? null,
        instructions: sent.instructions ?? null,
        answer_language: 'en',
        feedback_language: 'en',
        blind: sent.blind ?? false,
        sections,
        question_count: questions.length,
        total_marks: questions.reduce((sum, { max_marks }) => sum + max_marks, 0),
        paper_max: made.total_marks,
        choice_groups: [],
      });
      expect(made.questions.map(({ label, section }) => [label, section])).toEqual(
        questions.map((question) => [question.label, sectionOf(question, sections)]),
      );
      // A later GET returns the same, without the fields that only the creation answers.
      expect((await api.get<Exam>(`/exams/${made.id}`)).body).toEqual({
        ...made,
        warnings: made.warnings.filter(({ code }) => code !== 'negative_marks_ignored'),
      });
      expect(made.warnings.filter(({ code }) => code === 'negative_marks_ignored')).toHaveLength(
        sent.mode === 'typed'
          ? 0
          : questions.filter(({ negative_marks }) => (negative_marks ?? 0) > 0).length,
      );
      expect(made.warnings.filter(({ code }) => code === 'auto_rubric')).toHaveLength(
        questions.filter(
          ({ type, rubric, model_answer }) =>
            type === 'long_answer' && rubric == null && (model_answer ?? '').trim() === '',
        ).length,
      );

      const list = await api.get<QuestionList>(`/exams/${made.id}/questions?include=rubric,model_answer`);
      expect(list.body.questions.map(withoutIds)).toEqual(
        questions.map((question) => asListed(question, sent.mode, sectionOf(question, sections))),
      );
      if (sent.candidates != null && sent.candidates.length > 0) {
        const found = await api.post<{ data: Candidate[] }>('/candidates/search', {
          external_ids: sent.candidates.map(({ external_id }) => external_id),
        });
        const byId = new Map(found.body.data.map((candidate) => [candidate.external_id, candidate]));
        for (const { external_id, ...fields } of sent.candidates) {
          const given = Object.entries(fields).filter(([, value]) => value !== null);
          expect(byId.get(external_id)).toMatchObject(Object.fromEntries(given));
        }
      }
    }),
    { numRuns: 40 },
  );
});

const withoutIds = ({ id: _id, created_at: _created, updated_at: _updated, options, ...rest }: Question) => ({
  ...rest,
  ...(options === undefined
    ? {}
    : { options: options.map(({ label, text: option }) => ({ label, text: option })) }),
});

const asListed = (question: QuestionInput, mode: ExamCreate['mode'], section: string) => ({
  label: question.label,
  parent_label: question.parent_label ?? null,
  section,
  type: question.type,
  text: question.text,
  max_marks: question.max_marks,
  negative_marks: mode === 'handwritten' ? 0 : (question.negative_marks ?? 0),
  ...(question.options == null
    ? {}
    : { options: question.options, correct_options: question.correct_options ?? [] }),
  ...(question.answer == null ? {} : { answer: question.answer }),
  ...(question.type === 'long_answer'
    ? { model_answer: question.model_answer ?? null, rubric: question.rubric ?? null }
    : {}),
  word_limit: question.word_limit ?? null,
  expects_diagram: question.expects_diagram ?? null,
  assess_language: question.assess_language ?? null,
  tags: question.tags ?? null,
  external_id: question.external_id ?? null,
});

/* Edits of the exam and of its questions, in any order. A refused edit changes nothing. */

type Step =
  | { do: 'edit'; body: object }
  | { do: 'add'; marks: number[]; section: string | null }
  | { do: 'change'; at: number; marks: number; section: string | null }
  | { do: 'remove'; at: number };
const section = fc.constantFrom(null, ...SECTIONS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('edit' as const),
    body: fc.constantFrom<object[]>(
      { title: 'Other' },
      { mode: 'handwritten' },
      { mode: 'typed' },
      { sections: [] },
      { sections: SECTIONS.map((name, index) => ({ name, order: -index })) },
      { sections: [{ name: 'PHYSICS', order: 1 }] },
      { blind: true, subject: null },
      {},
    ),
  }),
  fc.record({
    do: fc.constant('add' as const),
    marks: fc.array(halfStep, { minLength: 1, maxLength: 3 }),
    section,
  }),
  fc.record({ do: fc.constant('change' as const), at: fc.nat(9), marks: halfStep, section }),
  fc.record({ do: fc.constant('remove' as const), at: fc.nat(9) }),
);

test(
  'after any edits total_marks, paper_max, question_count and sections match the questions',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const { api } = tenant;
        let { body: before } = await api.post<Exam>('/exams', typedExam([mcq('1', { negative_marks: 0.5 })]));
        const path = `/exams/${before.id}`;
        let labels = 1;
        for (const next of steps) {
          const question =
            next.do === 'change' || next.do === 'remove' ? before.questions[next.at] : undefined;
          const answer = await (() => {
            switch (next.do) {
              case 'edit':
                return api.patch(path, next.body);
              case 'add':
                return api.post(`${path}/questions`, {
                  questions: next.marks.map((max_marks) =>
                    longAnswer(String((labels += 1)), { max_marks, section: next.section }),
                  ),
                });
              case 'change':
                return api.patch(`${path}/questions/${question?.id ?? 'none'}`, {
                  max_marks: next.marks,
                  section: next.section,
                });
              case 'remove':
                return api.delete(`${path}/questions/${question?.id ?? 'none'}`);
            }
          })();
          const { body: after } = await api.get<Exam>(path);
          expect(answer.status).toBeLessThan(500);
          if (answer.status >= 400) expect(after).toEqual(before);
          const sum = after.questions.reduce((marks, { max_marks }) => marks + max_marks, 0);
          expect(after).toMatchObject({
            total_marks: sum,
            paper_max: sum,
            question_count: after.questions.length,
            rubric: { questions_without_rubric: after.questions.filter(({ options }) => !options).length },
          });
          const names = new Set(after.sections.map(({ name }) => name));
          for (const { section: shown } of after.questions) expect(names).toContain(shown);
          const { updated_at: _was, ...shownBefore } = before;
          const { updated_at: _is, ...shownAfter } = after;
          // An edit that changes no other field does not change `updated_at`. Other changes may: an exam does not
          // show all fields of its questions.
          if (next.do === 'edit' && JSON.stringify(shownBefore) === JSON.stringify(shownAfter)) {
            expect(after.updated_at).toBe(before.updated_at);
          }
          before = after;
        }
      }),
      { numRuns: 25 },
    );
  },
);

/** Copies an exam, with some copies in the same millisecond. */
const multiply = async (examId: string, count: number): Promise<string[]> => {
  const rows = await behind<{ id: string }>(
    service.database,
    `with made as materialized (select gen_random_uuid() as id from generate_series(1, $2::int))
     insert into exams
     select row.* from exams one, made,
       jsonb_populate_record(null::exams, to_jsonb(one) || jsonb_build_object('id', made.id)) as row
     where one.id = $1 returning id`,
    [examId, count],
  );
  return rows.map(({ id }) => id);
};

test(
  'paging while exams change, appear and disappear shows each unchanged exam exactly once',
  { timeout: 240_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ at: fc.nat(11), how: fc.constantFrom('edit', 'delete', 'create', 'nothing') }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (limit, changes) => {
          const own = await newTenant(service);
          const { body: first } = await own.api.post<Exam>('/exams', { title: 'One of 12', mode: 'typed' });
          const ids = [first.id, ...(await multiply(first.id, 11))];
          const touched = new Set<string>();
          const seen: string[] = [];
          let cursor = '';
          for (let page = 0; ; page += 1) {
            const { body } = await own.api.get<ExamList>(`/exams?limit=${limit}${cursor}`);
            seen.push(...body.data.map(({ id }) => id));
            if (!body.has_more || page > 40) break;
            cursor = `&cursor=${encodeURIComponent(body.next_cursor ?? '')}`;
            const change = changes[page];
            const id = ids[change?.at ?? 0] ?? '';
            if (change?.how === 'edit') await own.api.patch(`/exams/${id}`, { title: `edited ${page}` });
            if (change?.how === 'delete') await own.api.delete(`/exams/${id}`);
            if (change?.how === 'create') await own.api.post('/exams', { title: 'new', mode: 'typed' });
            if (change?.how === 'edit' || change?.how === 'delete') touched.add(id);
          }
          for (const id of ids.filter((each) => !touched.has(each))) {
            expect(seen.filter((each) => each === id)).toHaveLength(1);
          }
        },
      ),
      { numRuns: 10 },
    );
  },
);
