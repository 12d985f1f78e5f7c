import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { useText } from '../../app/language.ts';
import type { ChangeExam, ExamDraft } from './draft.ts';
import type { Problems } from './problems.ts';
import { movedUp, renamed, withoutSection, withSection } from './sections.ts';

const MOST_SECTIONS = 20;

/** The sections of the paper in their order. They can stay empty; then the questions name them. */
export const SectionsEditor = ({
  draft,
  problems,
  isDraft,
  onChange,
}: {
  draft: ExamDraft;
  problems: Problems;
  /** Sections are fixed once the exam is open. */
  isDraft: boolean;
  onChange: ChangeExam;
}) => {
  const t = useText();
  const problem = problems.get('sections');
  return (
    <Fieldset id="sections" legend={t('exams.form.sections')} disabled={!isDraft}>
      <Stack gap="xs">
        <Text size="sm">{t('exams.form.sectionsHelp')}</Text>
        {draft.sections.map(({ key, name }, index) => (
          <Group key={key} align="end">
            <TextInput
              label={t('exams.form.sectionName', { number: index + 1 })}
              required
              maxLength={64}
              w={240}
              value={name}
              onChange={({ currentTarget }) => {
                const typed = currentTarget.value;
                onChange((now) => renamed(now, key, typed));
              }}
              id={`sections[${index}].name`}
              error={problems.get(`sections[${index}].name`) ?? problems.get(`sections[${index}]`)}
            />
            <Button
              variant="subtle"
              disabled={index === 0}
              aria-label={t('exams.form.moveSectionUp', { number: index + 1 })}
              onClick={() => onChange((now) => movedUp(now, key))}
            >
              {t('exams.form.moveUp')}
            </Button>
            <Button
              variant="subtle"
              color="red"
              aria-label={t('exams.form.removeSection', { number: index + 1 })}
              onClick={() => onChange((now) => withoutSection(now, key))}
            >
              {t('exams.form.remove')}
            </Button>
          </Group>
        ))}
        {problem === undefined ? null : (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {problem}
          </Text>
        )}
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            disabled={!isDraft || draft.sections.length >= MOST_SECTIONS}
            onClick={() => onChange(withSection)}
          >
            {t('exams.form.addSection')}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
};
