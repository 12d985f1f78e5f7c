import { isDeepStrictEqual } from 'node:util';
import type { JudgeRequest } from '@evaluation/grader';
import { ExamContext } from '@evaluation/rules/grading-model';
import { checkRubric } from '@evaluation/rules';
import { QUESTION_FIELDS, type Line } from './line.ts';

interface Question {
  id: string;
  line: number;
  maxMarks: number;
  request: Pick<JudgeRequest, 'exam' | 'question'>;
}

/** An error in a line: the field, and a sentence without text of the answer. */
export interface Problem {
  field: string;
  message: string;
}

/** Questions of a data set, each described by the first line with its id. */
export class Questions {
  readonly #byId = new Map<string, { question: Question; described: Partial<Line> }>();
  /** Questions with a wrong first line; later lines of them are not reported. */
  readonly #broken = new Set<string>();

  /** Registers the question of a line. @returns errors in its question fields */
  meet(line: Line, number: number): Problem[] {
    if (this.#broken.has(line.question_id)) return [];
    const known = this.#byId.get(line.question_id);
    if (known !== undefined) return differences(line, known.described, known.question.line);
    const problems = firstLineProblems(line);
    if (problems.length > 0) this.#broken.add(line.question_id);
    else this.#byId.set(line.question_id, { question: questionOf(line, number), described: described(line) });
    return problems;
  }

  get(id: string): Question | undefined {
    return this.#byId.get(id)?.question;
  }

  all(): Question[] {
    return [...this.#byId.values()].map(({ question }) => question);
  }
}

const described = (line: Line): Partial<Line> =>
  Object.fromEntries(QUESTION_FIELDS.map((field) => [field, line[field] ?? null]));

const firstLineProblems = (line: Line): Problem[] => {
  const problems: Problem[] = [];
  for (const field of ['question', 'max_marks'] as const) {
    if (line[field] === undefined) {
      problems.push({ field, message: 'is needed on the first line of a question' });
    }
  }
  if (line.rubric != null && line.max_marks !== undefined) {
    for (const { field, message } of checkRubric(line.rubric, line.max_marks, 'rubric')) {
      problems.push({ field, message });
    }
  }
  return problems;
};

/** Refuses a question id with two marking schemes, because the statistics of both would be mixed. */
const differences = (line: Line, known: Partial<Line>, at: number): Problem[] =>
  QUESTION_FIELDS.filter(
    (field) => line[field] !== undefined && !isDeepStrictEqual(line[field] ?? null, known[field] ?? null),
  ).map((field) => ({ field, message: `differs from line ${at}, the first of this question` }));

const EMPTY_EXAM = { subject: null, board: null, class: null, instructions: null };

const questionOf = (line: Line, number: number): Question => {
  const maxMarks = line.max_marks ?? 0;
  return {
    id: line.question_id,
    line: number,
    maxMarks,
    request: {
      exam: ExamContext.parse({ ...EMPTY_EXAM, ...line.exam, level: line.exam?.level ?? 'school' }),
      question: {
        label: line.question_id,
        type: 'long_answer',
        text: line.question ?? '',
        maxMarks,
        options: [],
        correctOptions: [],
        answer: null,
        modelAnswer: line.model_answer ?? null,
        partialMarking: line.rubric?.partial_marking ?? null,
        criteria: (line.rubric?.criteria ?? []).map(({ name, marks, keywords, guidance }) => ({
          name,
          marks,
          keywords: keywords ?? [],
          guidance: guidance ?? null,
        })),
      },
    },
  };
};
