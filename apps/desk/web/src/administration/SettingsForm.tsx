import { Button, Checkbox, Group, NumberInput, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { useAfterChange, type Settings } from './settings.ts';

/** Defaults of new exams. */
export const SettingsForm = ({ settings }: { settings: Settings }) => {
  const t = useText();
  const [blind, setBlind] = useState(settings.blind);
  const [target, setTarget] = useState<number | string>(Math.round(settings.guide_target * 1000) / 10);
  const change = useMutation(calls.desk.settings.change.mutationOptions(useAfterChange()));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof target !== 'number') return;
    change.mutate({ blind, guide_target: Math.round(target * 10) / 1000, seen: settings.revision });
  };
  return (
    <section aria-labelledby="new-exams">
      <form onSubmit={submit}>
        <Stack maw={640}>
          <Title order={2} size="h3" id="new-exams">
            {t('administration.settings.newExams')}
          </Title>
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
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('administration.settings.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </section>
  );
};
