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
import { exam, halfStep, SECTIONS } from './arbitraryExam.ts';

const { service, tenant } = await restSuite();

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
