import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { ExamMode, QuestionInput, Warning } from '@evaluation/rest-contract/schemas';
import { labelKey } from './labels.ts';
import { duplicate, problem } from './problem.ts';
import { checkQuestion, negativeMarks, questionWarnings } from './question.ts';
import { isRead, type Parts } from './readable.ts';

/**
 * Rules of a whole paper (docs/api/exams.md#fields): unique labels, declared or derived sections, and the number of
 * questions. Pure. All problems are listed at once, with the paths of their fields.
 */

export interface PaperSection {
  name: string;
  /** As the client sent it; absent in a derived section. */
  order?: number;
}

export interface PaperQuestion {
  question: QuestionInput;
  section: number;
  negativeMarks: number;
}

export interface Paper {
  sections: PaperSection[];
  questions: PaperQuestion[];
  warnings: Warning[];
  problems: Problem[];
}

/** The existing paper that questions are added to, or one of whose questions is edited. */
export interface ExistingPaper {
  sections: readonly PaperSection[];
  /** true if the client declared the sections: then each question must name one of them. */
  sectionsDeclared: boolean;
  /** Labels of the questions other than those to check. */
  labels: readonly string[];
  /** Sections of the questions in `labels`. Set for an edit, by which a question may leave its section. */
  occupied?: readonly string[];
}

const DEFAULT_SECTION = 'A';
const MAX_SECTIONS = 20;
const MAX_QUESTIONS = 200;

type DeclaredSection = { name: string; order: number };

/** A new paper. Sections are the declared ones, by `order`, or are derived from the questions. */
export const checkPaper = (input: NewPaper): Paper => finish(paperSteps(input));

interface NewPaper {
  mode: ExamMode;
  sections: readonly DeclaredSection[] | null;
  questions: readonly QuestionInput[];
}

/** `checkPaper` with a step for each question, for a caller that pauses between steps: a large paper takes 0.5 s. */
export function* paperSteps(input: NewPaper): Generator<void, Paper> {
  const sections = inOrder(input.sections ?? []);
  const existing = { sections, sectionsDeclared: sections.length > 0, labels: [] };
  const problems = yield* paperProblemSteps(input);
  return { ...place(input.mode, existing, input.questions), problems };
}

interface ReadPaper {
  sections?: Parts<readonly DeclaredSection[] | null | undefined>;
  questions?: Parts<readonly QuestionInput[] | null | undefined>;
}

export const paperProblems = (input: ReadPaper): Problem[] => finish(paperProblemSteps(input));

function* paperProblemSteps(input: ReadPaper): Generator<void, Problem[]> {
  const sections = input.sections ?? [];
  const questions = input.questions ?? [];
  const names = isRead(sections)
    ? sections.flatMap((section) => (isRead(section) && isRead(section.name) ? [{ name: section.name }] : []))
    : [];
  const existing: QuestionSurroundings = {
    sections: names,
    sectionsDeclared: !isRead(sections) || sections.length > 0,
    sectionsRead: isRead(sections) && names.length === sections.length,
    labels: [],
  };
  return [
    ...(isRead(sections) ? repeatedSections(sections) : []),
    ...(isRead(questions)
      ? yield* questionSteps(existing, questions, (index) => `questions[${index}].`)
      : []),
  ];
}

export const repeatedSections = (sections: readonly Parts<DeclaredSection>[]): Problem[] => {
  const seen = new Set<string>();
  return sections.flatMap((section, index) => {
    if (!isRead(section) || !isRead(section.name)) return [];
    const key = labelKey(section.name);
    const repeated = seen.has(key);
    seen.add(key);
    return repeated ? [duplicate(`sections[${index}].name`, 'Section names must be unique.')] : [];
  });
};

/** Sorts declared sections by `order`; equal ones stay as sent. */
export const inOrder = <S extends { order: number }>(sections: readonly S[]): S[] =>
  sections.toSorted((a, b) => a.order - b.order);

/** Checks questions to add to a paper. A new section is appended if sections are derived, else refused. */
export const checkAdded = (input: AddedQuestions): Paper => finish(addedSteps(input));

interface AddedQuestions {
  mode: ExamMode;
  existing: ExistingPaper;
  questions: readonly QuestionInput[];
}

/** `checkAdded` with a step for each question, for a caller that pauses between steps. */
export function* addedSteps(input: AddedQuestions): Generator<void, Paper> {
  const problems = yield* addedProblemSteps(input.existing, input.questions);
  return { ...place(input.mode, input.existing, input.questions), problems };
}

export const addedProblems = (
  existing: ExistingPaper,
  questions: Parts<readonly QuestionInput[]>,
): Problem[] => finish(addedProblemSteps(existing, questions));

function* addedProblemSteps(
  existing: ExistingPaper,
  questions: Parts<readonly QuestionInput[]>,
): Generator<void, Problem[]> {
  if (!isRead(questions)) return [];
  const problems = yield* questionSteps(existing, questions, (index) => `questions[${index}].`);
  const has = existing.labels.length;
  if (has + questions.length > MAX_QUESTIONS) {
    const message = `At most ${MAX_QUESTIONS} questions in an exam, and this one has ${has}.`;
    problems.push(problem('questions', 'too_long', message));
  }
  return problems;
}

/** Checks an edited question beside the other questions of its paper. Paths are those of the question itself. */
export const checkEdited = (input: {
  mode: ExamMode;
  existing: ExistingPaper;
  question: QuestionInput;
}): Paper => ({
  ...place(input.mode, input.existing, [input.question]),
  problems: editedProblems(input.existing, input.question),
});

export const editedProblems = (existing: ExistingPaper, question: Parts<QuestionInput>): Problem[] =>
  finish(questionSteps(existing, [question], () => ''));

const finish = <T>(steps: Generator<void, T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};

interface QuestionSurroundings extends ExistingPaper {
  /** false if the name of a declared section is `BROKEN`: a question may name that section. */
  sectionsRead?: boolean;
}

function* questionSteps(
  existing: QuestionSurroundings,
  questions: readonly Parts<QuestionInput>[],
  at: (index: number) => string,
): Generator<void, Problem[]> {
  const problems: Problem[] = [];
  const labels = new Set(existing.labels.map(labelKey));
  const sections = new Set(existing.sections.map(({ name }) => labelKey(name)));
  // A derived section is deleted with its last question.
  const stays = existing.sectionsDeclared ? undefined : existing.occupied?.map(labelKey);
  const kept = new Set(stays ?? sections);

  for (const [index, question] of questions.entries()) {
    yield;
    if (!isRead(question)) continue;
    if (isRead(question.label)) {
      const key = labelKey(question.label);
      if (labels.has(key)) {
        problems.push(duplicate(`${at(index)}label`, 'Labels must be unique within the exam.'));
      }
      labels.add(key);
    }
    if (typeof question.section === 'string') {
      const key = labelKey(question.section);
      if (!existing.sectionsDeclared) kept.add(key);
      else if (!sections.has(key) && existing.sectionsRead !== false) {
        const message = 'This section is not declared in sections.';
        problems.push(problem(`${at(index)}section`, 'unknown_section', message));
      }
    }
    problems.push(...checkQuestion(question, at(index)));
  }

  // The number of declared sections is checked in their declaration.
  if (kept.size > Math.max(MAX_SECTIONS, existing.sections.length)) {
    // For an edited question the body is the question, so the path is its own section.
    const field = at(0) === '' ? 'section' : 'questions';
    problems.push(problem(field, 'too_many_sections', `At most ${MAX_SECTIONS} sections in an exam.`));
  }
  return problems;
}

/** Puts questions into sections. An unknown section becomes the first one; the paper then has a problem. */
const place = (
  mode: ExamMode,
  existing: ExistingPaper,
  questions: readonly QuestionInput[],
): Omit<Paper, 'problems'> => {
  const sections: PaperSection[] = [...existing.sections];
  const placeOf = new Map(sections.map(({ name }, index) => [labelKey(name), index]));
  const placed = questions.map((question): PaperQuestion => {
    const name = question.section ?? (sections.length === 0 ? DEFAULT_SECTION : null);
    let section = name === null ? 0 : placeOf.get(labelKey(name));
    if (name !== null && section === undefined && !existing.sectionsDeclared) {
      section = sections.push({ name }) - 1;
      placeOf.set(labelKey(name), section);
    }
    return { question, section: section ?? 0, negativeMarks: negativeMarks(question, mode) };
  });
  return {
    sections,
    questions: placed,
    warnings: questions.flatMap((question) => questionWarnings(question, mode)),
  };
};
