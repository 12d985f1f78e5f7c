import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnswerInput, QuestionInput } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit } from '../../harness/api.ts';
import { restSuite } from '../../harness/restSuite.ts';

/* The expected marks come from how an answer is made: right, wrong or blank. Sums are in whole hundredths. */

interface Made {
  question: Omit<QuestionInput, 'label' | 'text' | 'max_marks' | 'negative_marks'>;
  answer: Omit<AnswerInput, 'question_label'> | null;
}
type Outcome = 'right' | 'wrong' | 'blank' | 'omitted';

const LABELS = ['A', 'B', 'C', 'D', 'e', 'F.1'];

const choice = (type: 'mcq_single' | 'mcq_multi' | 'true_false', outcome: Outcome): fc.Arbitrary<Made> =>
  fc
    .record({
      size: type === 'true_false' ? fc.constant(2) : fc.integer({ min: 2, max: LABELS.length }),
      key: fc.integer({ min: 1, max: 63 }),
      other: fc.integer({ min: 1, max: 63 }),
      turn: fc.boolean(),
    })
    .map(({ size, key, other, turn }) => {
      const labels = LABELS.slice(0, size);
      const chosenBy = (bits: number): string[] => {
        const chosen = labels.filter((_, index) => (bits >> index) % 2 === 1);
        return chosen.length > 0 ? chosen : labels.slice(0, 1);
      };
      const correct = type === 'mcq_multi' ? chosenBy(key) : chosenBy(key).slice(0, 1);
      const guess = chosenBy(other);
      const isSame = guess.length === correct.length && guess.every((label) => correct.includes(label));
      // A guess equal to the key becomes wrong by adding or removing one label.
      const odd = labels.find((label) => !correct.includes(label));
      const wrong = isSame ? (odd === undefined ? correct.slice(1) : [...correct, odd]) : guess;
      const given = { right: turn ? correct.toReversed() : correct, wrong, blank: [], omitted: [] }[outcome];
      return {
        question: {
          type,
          options: labels.map((label) => ({ label, text: `Option ${label}` })),
          correct_options: correct,
        },
        answer: outcome === 'omitted' ? null : { option_labels: given },
      };
    })
    // Removing the only option of a key would leave a blank answer.
    .filter(({ answer }) => outcome !== 'wrong' || (answer?.option_labels ?? []).length > 0);

const textual = (type: 'numeric' | 'one_word', outcome: Outcome): fc.Arbitrary<Made> =>
  fc
    .record({ value: fc.integer({ min: -9999, max: 9999 }), form: fc.integer({ min: 0, max: 3 }) })
    .map(({ value, form }) => {
      const number = value / 100;
      const word = `Mark${Math.abs(value)}`;
      const forms =
        type === 'numeric'
          ? [
              number.toFixed(2),
              ` ${number.toFixed(4)}\n`,
              `${value}e-2`,
              number < 0 ? number.toFixed(2) : `+${number.toFixed(3)}`,
            ]
          : [word, word.toUpperCase(), `  ${word}\t`, word.toLowerCase()];
      const wrongs =
        type === 'numeric'
          ? [(number + 0.01).toFixed(2), `${number.toFixed(2)}1`, 'many', `${number.toFixed(2)} cm`]
          : [`${word}s`, `${word} ${word}`, word.slice(1), '-'];
      const text =
        { right: forms[form], wrong: wrongs[form], blank: form % 2 === 0 ? '' : ' \n ', omitted: '' }[
          outcome
        ] ?? '';
      return {
        question:
          type === 'numeric'
            ? { type, answer: form % 2 === 0 ? number : [number.toFixed(2), 123_456] }
            : { type, answer: word },
        answer: outcome === 'omitted' ? null : { text },
      };
    });

const sitting = fc.array(
  fc
    .record({
      outcome: fc.constantFrom<Outcome>('right', 'right', 'wrong', 'wrong', 'blank', 'omitted'),
      type: fc.constantFrom('mcq_single', 'mcq_multi', 'true_false', 'numeric', 'one_word'),
      halves: fc.integer({ min: 1, max: 20 }),
      negative: fc.constantFrom(0, 25, 33, 50, 100),
    })
    .chain((plan) =>
      (plan.type === 'numeric' || plan.type === 'one_word'
        ? textual(plan.type, plan.outcome)
        : choice(plan.type, plan.outcome)
      ).map((made) => ({ ...plan, made })),
    ),
  { minLength: 1, maxLength: 12 },
);

/** `100 * part / whole`, to two decimals, halves away from zero, in integers. */
const percentage = (part: number, whole: number): number => {
  const scaled = Math.abs(part) * 10_000;
  const rounded = Math.floor((2 * scaled + whole) / (2 * whole)) / 100;
  return part < 0 && rounded !== 0 ? -rounded : rounded;
};

const { tenant } = await restSuite();

test('the totals of any typed paper are the sum of its objective marks', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(sitting, async (plans) => {
      const exam = await createExam(tenant.api, {
        title: 'Any paper',
        mode: 'typed',
        questions: plans.map(({ made, halves, negative }, index) => ({
          ...made.question,
          label: String(index + 1),
          text: `Question ${index + 1}`,
          max_marks: halves / 2,
          negative_marks: negative / 100,
        })),
      });
      const submission = await submit(tenant.api, exam.id, {
        candidate: { external_id: randomUUID() },
        answers: plans.flatMap(({ made }, index) =>
          made.answer === null ? [] : [{ question_label: String(index + 1), ...made.answer }],
        ),
      });
      const marks = plans.map(({ outcome, halves, negative }) =>
        outcome === 'right' ? halves * 50 : outcome === 'wrong' ? -negative : 0,
      );
      const isAnswered = plans.map(({ outcome }) => outcome === 'right' || outcome === 'wrong');
      const awarded = marks.reduce((sum, mark) => sum + mark, 0);
      const max = plans.reduce((sum, { halves }) => sum + halves * 50, 0);

      const result = await resultOf(tenant.api, submission.id);
      expect(result.questions.map(({ awarded: given }) => Math.round((given ?? 0) * 100) + 0)).toEqual(
        marks.map((mark) => mark + 0),
      );
      expect(result.questions.map(({ status }) => status)).toEqual(
        isAnswered.map((answered) => (answered ? 'graded' : 'not_answered')),
      );
      expect(result.totals).toEqual({
        awarded: awarded / 100,
        max: max / 100,
        percentage: percentage(awarded, max),
        questions_graded: isAnswered.filter(Boolean).length,
        questions_failed: 0,
      });
      expect(exam.total_marks).toBe(max / 100);
      expect(submission).toMatchObject({ status: 'graded', credits_charged: 0 });
    }),
    { numRuns: 60 },
  );
});
