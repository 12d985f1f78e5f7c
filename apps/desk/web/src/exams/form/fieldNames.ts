import { t, type TextKey } from '../../app/language.ts';
import { examTexts, type DraftQuestion, type ExamDraft } from './draft.ts';

const NAMES: Readonly<Record<string, TextKey>> = {
  ...examTexts((name) => `exams.form.${name}`),
  title: 'exams.form.title',
  mode: 'exams.form.mode',
  level: 'exams.form.level',
  blind: 'exams.form.blind',
  sections: 'exams.form.sections',
  choice_groups: 'exams.form.choiceGroups',
  questions: 'exams.form.questions',
  label: 'exams.form.label',
  section: 'exams.form.section',
  type: 'exams.form.type',
  text: 'exams.form.text',
  max_marks: 'exams.form.maxMarks',
  negative_marks: 'exams.form.negativeMarks',
  options: 'exams.form.optionsName',
  correct_options: 'exams.form.optionsName',
  answer: 'exams.form.answer',
  model_answer: 'exams.form.modelAnswer',
  rubric: 'exams.form.rubric',
  criteria: 'exams.form.rubric',
  marks: 'exams.form.criterionMarks',
  name: 'exams.form.criterionName',
  keywords: 'exams.form.keywords',
  guidance: 'exams.form.guidance',
};

const nameOf = (part: string): string | undefined => {
  const name = NAMES[part];
  return name === undefined ? undefined : t(name);
};

const nameOfOption = (field: string, question: DraftQuestion | undefined): string | undefined => {
  const [, index, part] = /\.options\[(\d+)\]\.(label|text)$/.exec(field) ?? [];
  if (index === undefined) return undefined;
  const number = Number(index) + 1;
  return part === 'label'
    ? t('exams.form.optionLabel', { number })
    : t('exams.form.optionText', { label: question?.options[Number(index)]?.label ?? number });
};

/** The place of a problem as the form names it: `Question 2, Criterion 1, Marks`. */
export const placeOf = (field: string, draft: ExamDraft): string => {
  const [, section] = /^sections\[(\d+)\]/.exec(field) ?? [];
  if (section !== undefined) return t('exams.form.sectionName', { number: Number(section) + 1 });
  const [, question] = /^questions\[(\d+)\]/.exec(field) ?? [];
  const [, criterion] = /\.criteria\[(\d+)\]/.exec(field) ?? [];
  const last =
    field
      .replaceAll(/\[\d+\]/g, '')
      .split('.')
      .at(-1) ?? '';
  const name = nameOfOption(field, draft.questions[Number(question)]) ?? nameOf(last);
  return [
    question === undefined
      ? null
      : t('exams.form.question', { label: draft.questions[Number(question)]?.label ?? question }),
    criterion === undefined ? null : t('exams.form.criterion', { number: Number(criterion) + 1 }),
    question !== undefined && last === 'questions' ? null : name,
  ]
    .filter((part) => part != null)
    .join(', ');
};

export const nameOfDraftField = (field: keyof ExamDraft): string => t(`exams.form.${field}`);
