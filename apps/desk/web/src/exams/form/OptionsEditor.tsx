import { Button, Checkbox, Fieldset, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { emptyOption, type DraftOption, type DraftQuestion } from './draft.ts';
import { problemBelow, type Problems } from './problems.ts';

const MOST_OPTIONS = 26;
const FIRST_LETTER = 65;

export const OptionsEditor = ({
  question,
  at,
  problems,
  isDraft,
  onChange,
}: {
  question: DraftQuestion;
  at: string;
  problems: Problems;
  isDraft: boolean;
  onChange: (change: Partial<DraftQuestion>) => void;
}) => {
  const t = useText();
  const { options, type } = question;
  const isSingle = type !== 'mcq_multi';
  const set = (key: string, change: Partial<DraftOption>) =>
    onChange({ options: options.map((option) => (option.key === key ? { ...option, ...change } : option)) });
  const setCorrect = (key: string, isCorrect: boolean) =>
    onChange({
      options: options.map((option) =>
        option.key === key
          ? { ...option, isCorrect }
          : { ...option, isCorrect: isSingle && isCorrect ? false : option.isCorrect },
      ),
    });
  const problem = problems.get(`${at}.options`) ?? problemBelow(problems, `${at}.correct_options`);
  return (
    <Fieldset id={`${at}.options`} legend={t('exams.form.options')} disabled={!isDraft}>
      <Stack gap="xs">
        {options.map(({ key, label, text, isCorrect }, index) => (
          <Group key={key} align="start" wrap="nowrap">
            {isSingle ? (
              <Radio
                name={`correct ${question.key}`}
                aria-label={t('exams.form.correctOption', { label })}
                checked={isCorrect}
                onChange={() => setCorrect(key, true)}
                mt={8}
              />
            ) : (
              <Checkbox
                aria-label={t('exams.form.correctOption', { label })}
                checked={isCorrect}
                onChange={({ currentTarget }) => setCorrect(key, currentTarget.checked)}
                mt={8}
              />
            )}
            <TextInput
              aria-label={t('exams.form.optionLabel', { number: index + 1 })}
              value={label}
              maxLength={16}
              w={80}
              onChange={({ currentTarget }) => set(key, { label: currentTarget.value })}
              id={`${at}.options[${index}].label`}
              error={problems.get(`${at}.options[${index}].label`)}
            />
            <TextInput
              aria-label={t('exams.form.optionText', { label })}
              value={text}
              maxLength={2000}
              flex={1}
              onChange={({ currentTarget }) => set(key, { text: currentTarget.value })}
              id={`${at}.options[${index}].text`}
              error={problems.get(`${at}.options[${index}].text`)}
            />
            {type !== 'true_false' && options.length > 2 ? (
              <Button
                variant="subtle"
                color="red"
                aria-label={t('exams.form.removeOption', { label })}
                onClick={() => onChange({ options: options.filter((option) => option.key !== key) })}
              >
                {t('exams.form.remove')}
              </Button>
            ) : null}
          </Group>
        ))}
        {problem === undefined ? null : (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {problem}
          </Text>
        )}
        {type !== 'true_false' && options.length < MOST_OPTIONS ? (
          <Group>
            <Button
              variant="default"
              size="compact-sm"
              onClick={() =>
                onChange({
                  options: [...options, emptyOption(String.fromCodePoint(FIRST_LETTER + options.length))],
                })
              }
            >
              {t('exams.form.addOption')}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Fieldset>
  );
};
