import { Checkbox, Select, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import { useText } from '../../app/language.ts';
import type { ExamDraft, ExamText } from './draft.ts';
import type { Problems } from './problems.ts';
import { LEVELS } from './stored.ts';

const MODES = ['handwritten', 'typed'] as const;

export const ExamFields = ({
  draft,
  problems,
  isDraft,
  onChange,
}: {
  draft: ExamDraft;
  problems: Problems;
  /** Mode and blind marking are fixed once the exam is open. */
  isDraft: boolean;
  onChange: (change: Partial<ExamDraft>) => void;
}) => {
  const t = useText();
  const field = (name: string) => ({ id: name, error: problems.get(name) });
  const text = (name: 'title' | ExamText) => ({
    label: t(`exams.form.${name}`),
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange({ [name]: currentTarget.value }),
    ...field(name),
  });
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput required maxLength={255} {...text('title')} />
      <Select
        label={t('exams.form.mode')}
        data={MODES.map((value) => ({ value, label: t(`exams.mode.${value}`) }))}
        value={draft.mode}
        onChange={(value) => onChange({ mode: MODES.find((mode) => mode === value) ?? draft.mode })}
        allowDeselect={false}
        disabled={!isDraft}
        {...field('mode')}
      />
      <TextInput maxLength={120} {...text('subject')} />
      <TextInput maxLength={32} {...text('class')} />
      <TextInput maxLength={64} {...text('board')} />
      <Select
        label={t('exams.form.level')}
        data={LEVELS.map((value) => ({ value, label: t(`exams.level.${value}`) }))}
        value={draft.level}
        onChange={(value) => onChange({ level: LEVELS.find((level) => level === value) ?? draft.level })}
        allowDeselect={false}
        {...field('level')}
      />
      <TextInput type="date" {...text('conducted_on')} />
      <TextInput maxLength={128} {...text('external_ref')} />
      <Textarea
        description={t('exams.form.instructionsHelp')}
        autosize
        minRows={2}
        maxLength={4000}
        {...text('instructions')}
      />
      <Checkbox
        label={t('exams.form.blind')}
        description={t('exams.form.blindHelp')}
        checked={draft.blind}
        onChange={({ currentTarget }) => onChange({ blind: currentTarget.checked })}
        disabled={!isDraft}
        {...field('blind')}
        mt={{ sm: 'xl' }}
      />
    </SimpleGrid>
  );
};
