import type { MarkedQuestion } from '@evaluation/rules/grading-model';
import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import { examBody, typedSamples } from '../../../tests/fixtures/fixtures.ts';

/** One paper of two candidates. The provider's cache can serve the common beginning of their prompts. */
export interface Paper {
  name: string;
  questions: MarkedQuestion[];
  /** For each of the two candidates: the answer texts in the order of `questions`. */
  candidates: [readonly string[], readonly string[]];
  /** Pages of the copy; null for a typed submission. */
  pages: number | null;
}

const exam = examBody('history-typed');
const [strong, weak] = typedSamples();

export const EXAM = {
  subject: exam.subject ?? null,
  level: exam.level ?? 'school',
  board: exam.board ?? null,
  class: exam.class ?? null,
  instructions: exam.instructions ?? null,
};

/** A question of the exam under another label. `label` defaults to the question's label in the exam. */
const marked = (examLabel: string, label = examLabel): MarkedQuestion => {
  const input: QuestionInput | undefined = exam.questions?.find((question) => question.label === examLabel);
  if (input === undefined) throw new Error(`the history exam has no question ${examLabel}`);
  return {
    id: label,
    label,
    section: input.section ?? '',
    type: input.type,
    text: input.text,
    max_marks: input.max_marks,
    negative_marks: input.negative_marks ?? 0,
    options: input.options ?? [],
    correct_options: input.correct_options ?? [],
    answer: input.answer ?? null,
    model_answer: input.model_answer ?? null,
    rubric: input.rubric ?? null,
  };
};

const answer = (sample: typeof strong, label: string): string => {
  const given = sample.answers.find((one) => one.question_label === label);
  return given?.text ?? given?.option_labels?.join(', ') ?? '';
};

const typed = (name: string, label: string): Paper => ({
  name,
  questions: [marked(label)],
  candidates: [[answer(strong, label)], [answer(weak, label)]],
  pages: null,
});

/** Ten long questions in turn: short and long answers, with rubrics and with a model answer. */
const LONG = ['6', '7(a)', '7(b)', '8', '8'] as const;
const OBJECTIVE = ['1', '2', '3', '4', '5'] as const;
/** A full handwritten page: about 160 words. The other candidate writes the same sentences in another order. */
const PAGE = answer(strong, '8');
const OTHER_PAGE = PAGE.split('. ').toReversed().join('. ');

const questionsOf = (labels: readonly string[], count: number): MarkedQuestion[] =>
  Array.from({ length: count }, (_, index) => marked(labels[index % labels.length] ?? '', String(index + 1)));

const copyOf = (pages: number, questions: number): Paper => {
  const filled = (page: string) =>
    Array<string>(questions).fill(
      Array(pages / questions)
        .fill(page)
        .join('\n'),
    );
  return {
    name: `copy, ${pages} pages, ${questions} long answers`,
    questions: questionsOf(LONG, questions),
    candidates: [filled(PAGE), filled(OTHER_PAGE)],
    pages,
  };
};

const objective = (pages: number | null): Paper => {
  const texts = (sample: typeof strong) =>
    questionsOf(OBJECTIVE, 30).map((_, index) => answer(sample, OBJECTIVE[index % OBJECTIVE.length] ?? ''));
  return {
    name: pages === null ? 'typed, 30 objective' : `copy, ${pages} pages, 30 objective`,
    questions: questionsOf(OBJECTIVE, 30),
    candidates: [texts(strong), texts(weak)],
    pages,
  };
};

export const papers = (): Paper[] => [
  typed('typed, short answer', '7(a)'),
  typed('typed, long answer', '8'),
  objective(null),
  objective(2),
  copyOf(10, 10),
  copyOf(40, 20),
];

/** A question with neither rubric nor model answer: its rubric is made once, for all candidates. */
export const questionWithoutRubric = (): MarkedQuestion => marked('9');
