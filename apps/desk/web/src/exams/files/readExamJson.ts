import { emptyExam, examTexts, type DraftQuestion, type ExamDraft } from '../form/draft.ts';
import { draftQuestion, LEVELS } from '../form/stored.ts';
import { newKey } from '../../app/newKey.ts';
import type { FileProblem } from './problems.ts';

/* Reads the body of `POST /exams`, or a list of questions, into the form. Fields of the wrong kind are left empty. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];
const amount = (value: unknown): number => (typeof value === 'number' ? value : Number(text(value)) || 0);

const QUESTION_TYPES = [
  'mcq_single',
  'mcq_multi',
  'true_false',
  'numeric',
  'one_word',
  'long_answer',
] as const;

const valuesOf = (value: unknown): (string | number)[] =>
  [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number');

const optionalText = (name: string, value: unknown): object =>
  typeof value === 'string' ? { [name]: value } : {};

const questionOf = (question: Record<string, unknown>, index: number): DraftQuestion => {
  const { rubric } = question;
  const answer = valuesOf(question['answer']);
  return draftQuestion({
    label: text(question['label']) || String(index + 1),
    type: QUESTION_TYPES.find((type) => type === question['type']) ?? 'long_answer',
    text: text(question['text']),
    max_marks: amount(question['max_marks']),
    ...optionalText('section', question['section']),
    ...optionalText('parent_label', question['parent_label']),
    ...optionalText('external_id', question['external_id']),
    ...optionalText('model_answer', question['model_answer']),
    ...(typeof question['negative_marks'] === 'number' ? { negative_marks: question['negative_marks'] } : {}),
    ...(typeof question['word_limit'] === 'number' ? { word_limit: question['word_limit'] } : {}),
    ...(isRecord(question['tags']) ? { tags: question['tags'] } : {}),
    ...(Array.isArray(question['options'])
      ? {
          options: records(question['options']).map((option) => ({
            label: text(option['label']),
            text: text(option['text']),
          })),
          correct_options: valuesOf(question['correct_options']).map(String),
        }
      : {}),
    ...(answer.length === 0 ? {} : { answer }),
    ...(isRecord(rubric)
      ? {
          rubric: {
            partial_marking: rubric['partial_marking'] !== false,
            criteria: records(rubric['criteria']).map((criterion) => ({
              name: text(criterion['name']),
              marks: amount(criterion['marks']),
              keywords: valuesOf(criterion['keywords']).map(String),
              guidance: text(criterion['guidance']),
            })),
          },
        }
      : {}),
  });
};

/** @param before the form as it is; fields that the file does not have stay */
export const readExamJson = (
  file: string,
  before: ExamDraft = emptyExam(false),
): { draft: ExamDraft; problems: FileProblem[] } => {
  let read: unknown;
  try {
    read = JSON.parse(file);
  } catch {
    return { draft: before, problems: [{ line: 1, code: 'not_json' }] };
  }
  const exam = isRecord(read) ? read : { questions: read };
  const questions = records(exam['questions']).map(questionOf);
  if (questions.length === 0 && text(exam['title']) === '')
    return { draft: before, problems: [{ line: 1, code: 'no_rows' }] };
  const kept = (name: string, current: string): string =>
    typeof exam[name] === 'string' ? exam[name] : current;
  return {
    draft: {
      ...examTexts((name) => kept(name, before[name])),
      title: kept('title', before.title),
      mode: exam['mode'] === 'typed' || exam['mode'] === 'handwritten' ? exam['mode'] : before.mode,
      level: LEVELS.find((level) => level === exam['level']) ?? before.level,
      sections: Array.isArray(exam['sections'])
        ? records(exam['sections'])
            .toSorted((one, other) => amount(one['order']) - amount(other['order']))
            .map((section) => ({ key: newKey(), name: text(section['name']) }))
        : before.sections,
      choiceGroups: Array.isArray(exam['choice_groups']) ? exam['choice_groups'] : before.choiceGroups,
      blind: typeof exam['blind'] === 'boolean' ? exam['blind'] : before.blind,
      questions: questions.length === 0 ? before.questions : questions,
    },
    problems: [],
  };
};
