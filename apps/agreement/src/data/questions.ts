import { isDeepStrictEqual } from 'node:util';
import type { JudgeRequest } from '@evaluation/grader';
import { checkRubric } from '@evaluation/rules';
import { QUESTION_FIELDS, type Line } from './line.ts';

/** A question as it is put to the grader, without an answer. */
export interface Question {
  id: string;
  /** The line that described it. */
  line: number;
  maxMarks: number;
  request: Pick<JudgeRequest, 'exam' | 'question'>;
}

/** What is wrong with a line: the field, and a sentence that quotes nothing of the answer. */
export interface Problem {
  field: string;
  message: string;
}

/** The questions of a data set, each described by the first line that names it. */
export class Questions {
  readonly #byId = new Map<string, { question: Question; described: Partial<Line> }>();
  /** Their first line was wrong; what follows from that is not told on every further line. */
  readonly #broken = new Set<string>();

  /** Learns from a line, or finds what is wrong with what it says of its question. */
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

/** Two marking schemes of one question would make one number of two. */
const differences = (line: Line, known: Partial<Line>, at: number): Problem[] =>
  QUESTION_FIELDS.filter(
    (field) => line[field] !== undefined && !isDeepStrictEqual(line[field] ?? null, known[field] ?? null),
  ).map((field) => ({ field, message: `differs from line ${at}, the first of this question` }));

const questionOf = (line: Line, number: number): Question => {
  const maxMarks = line.max_marks ?? 0;
  return {
    id: line.question_id,
    line: number,
    maxMarks,
    request: {
      exam: {
        subject: line.exam?.subject ?? null,
        level: line.exam?.level ?? 'school',
        board: line.exam?.board ?? null,
        class: line.exam?.class ?? null,
        instructions: line.exam?.instructions ?? null,
      },
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
