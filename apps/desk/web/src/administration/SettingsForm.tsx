import { Button, Checkbox, Group, NumberInput, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { inferRouterOutputs } from '@trpc/server';
import { useState, type FormEvent } from 'react';
import type { PublicRouter } from '@evaluation/core-client';
import { calls } from '../app/calls.ts';
import { failureIn } from '../app/failures.ts';
import { useText } from '../app/language.ts';
import { tell, tellError, tellProblem } from '../app/notices.ts';
import { showNumber, showTime } from '../app/times.ts';

type Settings = inferRouterOutputs<PublicRouter>['desk']['settings']['show'];

/** Defaults of new exams, and how long data is kept, which only the operator can change. */
export const SettingsForm = ({ settings }: { settings: Settings }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [blind, setBlind] = useState(settings.blind);
  const [target, setTarget] = useState<number | string>(Math.round(settings.guide_target * 1000) / 10);
  const change = useMutation(
    calls.desk.settings.change.mutationOptions({
      onSuccess: () => tell(t('administration.settings.saved')),
      onError: (error) => {
        if (failureIn(error)?.code === 'conflict') tellProblem(t('administration.settings.changed'));
        else tellError(error);
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: calls.desk.settings.pathKey() }),
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typeof target !== 'number') return;
    change.mutate({ blind, guide_target: Math.round(target * 10) / 1000, seen: settings.revision });
  };
  const { changed, retention } = settings;
  const kept = [
    ['administration.settings.files', retention.files_days],
    ['administration.settings.evidence', retention.evidence_days],
    ['administration.settings.readings', retention.readings_days],
  ] as const;
  return (
    <Stack gap="xl">
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
              {changed === null ? null : (
                <Text size="sm" c="dimmed">
                  {t('administration.settings.lastChange', {
                    at: showTime(changed.at),
                    by: changed.by ?? t('administration.settings.someone'),
                  })}
                </Text>
              )}
            </Group>
          </Stack>
        </form>
      </section>
      <section aria-labelledby="retention">
        <Stack maw={640}>
          <Title order={2} size="h3" id="retention">
            {t('administration.settings.retention')}
          </Title>
          <Text size="sm">{t('administration.settings.retentionHelp')}</Text>
          <Table aria-labelledby="retention">
            <Table.Tbody>
              {kept.map(([label, days]) => (
                <Table.Tr key={label}>
                  <Table.Th scope="row">{t(label)}</Table.Th>
                  <Table.Td>
                    {days === 0
                      ? t('administration.settings.notKept')
                      : t('administration.settings.days', { count: days, days: showNumber(days) })}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Stack>
      </section>
    </Stack>
  );
};
