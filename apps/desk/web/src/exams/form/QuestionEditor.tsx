import { Button, Checkbox, Group, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import { isChoice, withType, type DraftQuestion, type ExamDraft } from './draft.ts';
import { OptionsEditor } from './OptionsEditor.tsx';
import { problemBelow, problemsElsewhere, type Problems } from './problems.ts';
import { RubricEditor } from './RubricEditor.tsx';
import { SectionField } from './SectionField.tsx';

const TYPES = ['long_answer', 'mcq_single', 'mcq_multi', 'true_false', 'numeric', 'one_word'] as const;

/** One question. Problems of the API are shown at the fields that they name, below `at`. */
export const QuestionEditor = ({
  question,
  mode,
  sections,
  at,
  problems,
  warnings,
  isDraft,
  onChange,
  onRemove,
}: {
  question: DraftQuestion;
  sections: readonly string[];
  mode: ExamDraft['mode'];
  /** Path of the question in the request, such as `questions[2]`. */
  at: string;
  problems: Problems;
  warnings: readonly string[];
  /** The marking scheme is fixed once the exam is open. */
  isDraft: boolean;
  onChange: (change: Partial<DraftQuestion>) => void;
  onRemove: () => void;
}) => {
  const t = useText();
  // Problems of the question itself, and of fields that the form does not show.
  const ownProblem = problemsElsewhere(problems, at);
  /** Props of the field with this name in the request. */
  const field = (name: string) => ({ id: `${at}.${name}`, error: problems.get(`${at}.${name}`) });
  return (
    <>
      {ownProblem === undefined ? null : <Notice kind="problem">{ownProblem}</Notice>}
      {warnings.map((warning) => (
        <Notice key={warning} kind="note">
          {warning}
        </Notice>
      ))}
      <Group align="start" grow preventGrowOverflow={false}>
        <TextInput
          label={t('exams.form.label')}
          required
          maxLength={16}
          w={90}
          value={question.label}
          onChange={({ currentTarget }) => onChange({ label: currentTarget.value })}
          disabled={!isDraft}
          {...field('label')}
        />
        <SectionField
          sections={sections}
          value={question.section}
          isDraft={isDraft}
          {...field('section')}
          onChange={(section) => onChange({ section })}
        />
        <Select
          label={t('exams.form.type')}
          data={TYPES.map((value) => ({ value, label: t(`exams.type.${value}`) }))}
          value={question.type}
          onChange={(value) =>
            onChange(withType(question, TYPES.find((type) => type === value) ?? question.type))
          }
          allowDeselect={false}
          disabled={question.id !== null}
          {...field('type')}
        />
        <NumberInput
          label={t('exams.form.maxMarks')}
          required
          min={0}
          max={1000}
          step={0.5}
          w={120}
          value={question.maxMarks}
          onChange={(value) => onChange({ maxMarks: typeof value === 'number' ? value : '' })}
          disabled={!isDraft}
          {...field('max_marks')}
        />
        {question.type !== 'long_answer' && mode === 'typed' ? (
          <NumberInput
            label={t('exams.form.negativeMarks')}
            min={0}
            step={0.25}
            w={140}
            value={question.negativeMarks}
            onChange={(value) => onChange({ negativeMarks: typeof value === 'number' ? value : '' })}
            disabled={!isDraft}
            {...field('negative_marks')}
          />
        ) : null}
      </Group>
      <Textarea
        label={t('exams.form.text')}
        required
        autosize
        minRows={2}
        maxLength={20_000}
        value={question.text}
        onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
        {...field('text')}
      />
      {isChoice(question.type) ? (
        <OptionsEditor
          question={question}
          at={at}
          problems={problems}
          isDraft={isDraft}
          onChange={onChange}
        />
      ) : null}
      {question.type === 'numeric' || question.type === 'one_word' ? (
        <Textarea
          label={t('exams.form.answer')}
          description={question.type === 'numeric' ? t('exams.form.answerHelp') : undefined}
          required
          autosize
          value={question.answer}
          onChange={({ currentTarget }) => onChange({ answer: currentTarget.value })}
          disabled={!isDraft}
          id={`${at}.answer`}
          error={problemBelow(problems, `${at}.answer`)}
        />
      ) : null}
      {question.type === 'long_answer' ? (
        <>
          <Textarea
            label={t('exams.form.modelAnswer')}
            autosize
            minRows={2}
            maxLength={20_000}
            value={question.modelAnswer}
            onChange={({ currentTarget }) => onChange({ modelAnswer: currentTarget.value })}
            {...field('model_answer')}
          />
          <Checkbox
            label={t('exams.form.hasRubric')}
            description={
              question.hasRubric || question.modelAnswer.trim() !== ''
                ? undefined
                : t('exams.form.autoRubric')
            }
            checked={question.hasRubric}
            onChange={({ currentTarget }) => onChange({ hasRubric: currentTarget.checked })}
          />
          {question.hasRubric ? (
            <RubricEditor question={question} at={`${at}.rubric`} problems={problems} onChange={onChange} />
          ) : null}
        </>
      ) : null}
      <Group justify="end">
        <Button
          variant="subtle"
          color="red"
          onClick={onRemove}
          disabled={!isDraft}
          aria-label={t('exams.form.removeQuestion', { label: question.label })}
        >
          {t('exams.form.remove')}
        </Button>
      </Group>
    </>
  );
};
