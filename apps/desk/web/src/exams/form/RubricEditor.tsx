import { Button, Checkbox, Fieldset, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { criteriaMarks, emptyCriterion, type DraftCriterion, type DraftQuestion } from './draft.ts';
import { problemBelow, type Problems } from './problems.ts';
import './rubric.css';

/** Criteria of a long answer. Their sum is shown beside the marks of the question while they are typed. */
export const RubricEditor = ({
  question,
  at,
  problems,
  onChange,
}: {
  question: DraftQuestion;
  at: string;
  problems: Problems;
  onChange: (change: Partial<DraftQuestion>) => void;
}) => {
  const t = useText();
  const { criteria } = question;
  const set = (key: string, change: Partial<DraftCriterion>) =>
    onChange({
      criteria: criteria.map((criterion) =>
        criterion.key === key ? { ...criterion, ...change } : criterion,
      ),
    });
  const sum = criteriaMarks(criteria);
  const problem = problems.get(`${at}.criteria`) ?? problems.get(at);
  return (
    <Fieldset id={at} legend={t('exams.form.rubric')}>
      <Stack gap="sm">
        {criteria.map(({ key, name, marks, keywords, guidance }, index) => {
          const field = (part: string) => {
            const path = `${at}.criteria[${index}].${part}`;
            return { id: path, error: problemBelow(problems, path) };
          };
          const number = index + 1;
          return (
            <div
              key={key}
              className="criterion"
              role="group"
              aria-label={t('exams.form.criterion', { number })}
            >
              <TextInput
                label={t('exams.form.criterionName')}
                value={name}
                maxLength={255}
                onChange={({ currentTarget }) => set(key, { name: currentTarget.value })}
                {...field('name')}
              />
              <NumberInput
                label={t('exams.form.criterionMarks')}
                value={marks}
                min={0}
                step={0.5}
                onChange={(value) => set(key, { marks: typeof value === 'number' ? value : '' })}
                {...field('marks')}
              />
              <TextInput
                label={t('exams.form.keywords')}
                value={keywords}
                onChange={({ currentTarget }) => set(key, { keywords: currentTarget.value })}
                {...field('keywords')}
              />
              <TextInput
                label={t('exams.form.guidance')}
                value={guidance}
                maxLength={2000}
                onChange={({ currentTarget }) => set(key, { guidance: currentTarget.value })}
                {...field('guidance')}
              />
              <Button
                variant="subtle"
                color="red"
                className="criterion-remove"
                aria-label={t('exams.form.removeCriterion', { number })}
                onClick={() => onChange({ criteria: criteria.filter((criterion) => criterion.key !== key) })}
              >
                {t('exams.form.remove')}
              </Button>
            </div>
          );
        })}
        {criteria.length === 0 ? null : (
          <Text size="xs" c="dimmed">
            {t('exams.form.keywordsHelp')}
          </Text>
        )}
        {problem === undefined ? null : (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {problem}
          </Text>
        )}
        <Group justify="space-between" align="start">
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => onChange({ criteria: [...criteria, emptyCriterion()] })}
          >
            {t('exams.form.addCriterion')}
          </Button>
          <Text size="sm">
            {t('exams.form.sum', { sum, marks: question.maxMarks === '' ? '–' : question.maxMarks })}
          </Text>
          <Checkbox
            label={t('exams.form.partialMarking')}
            description={t('exams.form.partialMarkingHelp')}
            maw={420}
            checked={question.partialMarking}
            onChange={({ currentTarget }) => onChange({ partialMarking: currentTarget.checked })}
          />
        </Group>
      </Stack>
    </Fieldset>
  );
};
