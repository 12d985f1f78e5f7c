import { Button, Stack, Text } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';

/** Choice groups of an imported file. The service refuses them, so the form can be saved only without them. */
export const ChoiceGroups = ({
  count,
  problem,
  onRemove,
}: {
  count: number;
  problem: string | undefined;
  onRemove: () => void;
}) => {
  const t = useText();
  if (count === 0) return null;
  return (
    <Notice kind={problem === undefined ? 'note' : 'problem'} title={t('exams.form.choiceGroups')}>
      <Stack gap="xs" align="start">
        <Text size="sm">{problem ?? t('exams.form.choiceGroupsHelp', { count })}</Text>
        <Button variant="default" size="compact-sm" onClick={onRemove}>
          {t('exams.form.removeChoiceGroups')}
        </Button>
      </Stack>
    </Notice>
  );
};
