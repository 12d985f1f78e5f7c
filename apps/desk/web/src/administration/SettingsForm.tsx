import { Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { Section } from '../app/Section.tsx';
import { useAfterChange, type Settings } from './settings.ts';

export const SettingsForm = ({ settings }: { settings: Settings }) => {
  const t = useText();
  const [blind, setBlind] = useState(settings.blind);
  const [assignedOnly, setAssignedOnly] = useState(settings.assigned_only);
  const [target, setTarget] = useState<number | string>(Math.round(settings.guide_target * 1000) / 10);
  const change = useMutation(calls.desk.settings.change.mutationOptions(useAfterChange()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof target !== 'number') return;
    change.mutate({
      blind,
      guide_target: Math.round(target * 10) / 1000,
      assigned_only: assignedOnly,
      seen: settings.revision,
    });
  };
  return (
    <Section id="new-exams" title={t('administration.settings.newExams')} maw={640}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('administration.settings.newExamsHelp')}</Text>
          <Checkbox
            label={t('administration.settings.blind')}
            description={t('administration.settings.blindHelp')}
            checked={blind}
            onChange={({ currentTarget }) => setBlind(currentTarget.checked)}
          />
          <NumberInput
            label={t('administration.settings.target')}
            description={t('administration.settings.targetHelp')}
            min={50}
            max={99.9}
            step={0.5}
            decimalScale={1}
            suffix=" %"
            required
            withAsterisk={false}
            value={target}
            onChange={setTarget}
          />
          <Checkbox
            label={t('administration.settings.assignedOnly')}
            description={t('administration.settings.assignedOnlyHelp')}
            checked={assignedOnly}
            onChange={({ currentTarget }) => setAssignedOnly(currentTarget.checked)}
          />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('app.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
};
