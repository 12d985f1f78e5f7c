import { Button, Group } from '@mantine/core';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';

/** Says that the form shows what was typed before the page was left. */
export const KeptNotice = ({ onDiscard }: { onDiscard: () => void }) => {
  const t = useText();
  return (
    <Notice kind="note">
      <Group justify="space-between">
        {t('exams.form.kept')}
        <Button size="compact-sm" variant="default" onClick={onDiscard}>
          {t('exams.form.discard')}
        </Button>
      </Group>
    </Notice>
  );
};
