import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { ExamMode, QuestionInput, Warning } from '@evaluation/rest-contract/schemas';
import { labelKey } from './labels.ts';
import { checkQuestion, negativeMarks, questionWarnings } from './question.ts';
import { isRead, type Parts } from './readable.ts';

/**
 * The rules of a whole paper (docs/api/exams.md#fields): labels that must be unique, sections declared or derived, how many
 * questions there may be. Pure: every problem is listed at once, with the path a client can act on.
 */

export interface PaperSection {
  name: string;
  /** As the client sent it; left out where a question's name made the section. */
  order?: number;
}

export interface PaperQuestion {
  question: QuestionInput;
  /** Index into the paper's sections. */
  section: number;
  negativeMarks: number;
}

export interface Paper {
  sections: PaperSection[];
  questions: PaperQuestion[];
  warnings: Warning[];
  problems: Problem[];
}

/** What an exam has already when questions are added to it, or one of them is edited. */
export interface StandingPaper {
  /** In their order. */
  sections: readonly PaperSection[];
  /** Whether the client declared them: then no question can name another one. */
  sectionsDeclared: boolean;
  /** Labels of the questions that stay beside those to check. */
  labels: readonly string[];
  /** Names of the sections that those questions stand in; left out where none leaves its section. */
  occupied?: readonly string[];
}

const DEFAULT_SECTION = 'A';
const MAX_SECTIONS = 20;
const MAX_QUESTIONS = 200;

type DeclaredSection = { name: string; order: number };

/** A new paper: sections as declared, in the order of `order`, or derived from the questions. */
export const checkPaper = (input: {
  mode: ExamMode;
  sections: readonly DeclaredSection[] | null;
  questions: readonly QuestionInput[];
}): Paper => {
  const sections = inOrder(input.sections ?? []);
  const standing = { sections, sectionsDeclared: sections.length > 0, labels: [] };
  return { ...place(input.mode, standing, input.questions), problems: paperProblems(input) };
};

/** What is wrong with a paper of which perhaps not all could be read. */
export const paperProblems = (input: {
  sections?: Parts<readonly DeclaredSection[] | null | undefined>;
  questions?: Parts<readonly QuestionInput[] | null | undefined>;
}): Problem[] => {
  const sections = input.sections ?? [];
  const questions = input.questions ?? [];
  const names = isRead(sections)
    ? sections.flatMap((section) => (isRead(section) && isRead(section.name) ? [{ name: section.name }] : []))
    : [];
  const standing: QuestionSurroundings = {
    sections: names,
    sectionsDeclared: !isRead(sections) || sections.length > 0,
    sectionsRead: isRead(sections) && names.length === sections.length,
    labels: [],
  };
  return [
    ...(isRead(sections) ? repeatedSections(sections) : []),
    ...(isRead(questions) ? questionProblems(standing, questions, (index) => `questions[${index}].`) : []),
  ];
};

/** Section names are unique ignoring case (docs/api/exams.md#fields). */
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

/** Declared sections stand in the order of `order`; equal ones as they were sent. */
export const inOrder = <S extends { order: number }>(sections: readonly S[]): S[] =>
  sections.toSorted((a, b) => a.order - b.order);

/**
 * Questions to add to a paper. Where sections were derived a question may name a new one, which is appended, as it
 * would have been had the question been there from the start; declared sections stay as declared.
 */
export const checkAdded = (input: {
  mode: ExamMode;
  standing: StandingPaper;
  questions: readonly QuestionInput[];
}): Paper => {
  const paper = place(input.mode, input.standing, input.questions);
  return { ...paper, problems: addedProblems(input.standing, input.questions) };
};

/** What is wrong with questions to add of which perhaps not all could be read. */
export const addedProblems = (
  standing: StandingPaper,
  questions: Parts<readonly QuestionInput[]>,
): Problem[] => {
  if (!isRead(questions)) return [];
  const problems = questionProblems(standing, questions, (index) => `questions[${index}].`);
  const has = standing.labels.length;
  if (has + questions.length > MAX_QUESTIONS) {
    problems.push({
      field: 'questions',
      code: 'too_long',
      message: `At most ${MAX_QUESTIONS} questions in an exam, and this one has ${has}.`,
    });
  }
  return problems;
};

/** A question as it would be after an edit, beside the others of its paper. Paths are those of the question itself. */
export const checkEdited = (input: {
  mode: ExamMode;
  standing: StandingPaper;
  question: QuestionInput;
}): Paper => ({
  ...place(input.mode, input.standing, [input.question]),
  problems: editedProblems(input.standing, input.question),
});

/** What is wrong with an edited question of which perhaps not all could be read. */
export const editedProblems = (standing: StandingPaper, question: Parts<QuestionInput>): Problem[] =>
  questionProblems(standing, [question], () => '');

interface QuestionSurroundings extends StandingPaper {
  /** Whether every name of a declared section could be read; otherwise a question may name one that was not. */
  sectionsRead?: boolean;
}

/** Unique labels, known sections, and each question by itself. */
const questionProblems = (
  standing: QuestionSurroundings,
  questions: readonly Parts<QuestionInput>[],
  at: (index: number) => string,
): Problem[] => {
  const problems: Problem[] = [];
  const labels = new Set(standing.labels.map(labelKey));
  const sections = new Set(standing.sections.map(({ name }) => labelKey(name)));
  // A derived section goes with the last question that leaves it.
  const stays = standing.sectionsDeclared ? undefined : standing.occupied?.map(labelKey);
  const kept = new Set(stays ?? sections);

  questions.forEach((question, index) => {
    if (!isRead(question)) return;
    if (isRead(question.label)) {
      const key = labelKey(question.label);
      if (labels.has(key)) {
        problems.push(duplicate(`${at(index)}label`, 'Labels must be unique within the exam.'));
      }
      labels.add(key);
    }
    if (typeof question.section === 'string') {
      const key = labelKey(question.section);
      if (!standing.sectionsDeclared) kept.add(key);
      else if (!sections.has(key) && standing.sectionsRead !== false) {
        problems.push({
          field: `${at(index)}section`,
          code: 'unknown_section',
          message: 'This section is not declared in sections.',
        });
      }
    }
    problems.push(...checkQuestion(question, at(index)));
  });

  // Declared sections are bounded where they are declared.
  if (kept.size > Math.max(MAX_SECTIONS, standing.sections.length)) {
    problems.push({
      // Where the body is the question itself, it is that question's section.
      field: at(0) === '' ? 'section' : 'questions',
      code: 'too_many_sections',
      message: `At most ${MAX_SECTIONS} sections in an exam.`,
    });
  }
  return problems;
};

/** Sections and the questions in them. Where there are problems, what is not known counts as the first section. */
const place = (
  mode: ExamMode,
  standing: StandingPaper,
  questions: readonly QuestionInput[],
): Omit<Paper, 'problems'> => {
  const sections: PaperSection[] = [...standing.sections];
  const placeOf = new Map(sections.map(({ name }, index) => [labelKey(name), index]));
  const placed = questions.map((question): PaperQuestion => {
    const name = question.section ?? (sections.length === 0 ? DEFAULT_SECTION : null);
    let section = name === null ? 0 : placeOf.get(labelKey(name));
    if (name !== null && section === undefined && !standing.sectionsDeclared) {
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

const duplicate = (field: string, message: string): Problem => ({ field, code: 'duplicate', message });
