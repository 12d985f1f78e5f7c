import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { calls } from '../app/calls.ts';
import { ConfirmModal } from '../app/ConfirmModal.tsx';
import { useText } from '../app/language.ts';
import { Section } from '../app/Section.tsx';
import { showNumber } from '../app/times.ts';
import { useAfterChange, type OwnRetention, type Settings } from './settings.ts';

/** Data with a retention time: the column, the texts, and the fewest days that core accepts. */
const KINDS = [
  { column: 'files_days', name: 'files', least: 1 },
  { column: 'evidence_days', name: 'evidence', least: 1 },
  { column: 'readings_days', name: 'readings', least: 2 },
] as const;
type Column = (typeof KINDS)[number]['column'];

/** An empty field means the days of the operator. */
type Fields = Readonly<Record<Column, number | string>>;

/** How long data of the institute is kept. Fewer days delete data that cannot be restored, so the page asks first. */
export const RetentionForm = ({ settings, own }: { settings: Settings; own: OwnRetention }) => {
  const t = useText();
  const { retention, revision } = settings;
  // Days above the operator's have no effect, and core would refuse them.
  const shown = (column: Column) => {
    const days = own[column];
    return days === null || days > retention[column] ? '' : days;
  };
  const [fields, setFields] = useState<Fields>({
    files_days: shown('files_days'),
    evidence_days: shown('evidence_days'),
    readings_days: shown('readings_days'),
  });
  const [isAsking, setAsking] = useState(false);
  const change = useMutation(calls.desk.settings.changeRetention.mutationOptions(useAfterChange()));
  /** Days in the field, within its bounds also before the field has lost the focus; null for an empty field. */
  const daysIn = (column: Column): number | null => {
    const given = fields[column];
    const least = KINDS.find((kind) => kind.column === column)?.least ?? 1;
    return typeof given === 'number' ? Math.max(least, Math.min(given, retention[column])) : null;
  };
  const daysOf = (column: Column): number => daysIn(column) ?? retention[column];
  const shortened = KINDS.filter(
    ({ column }) => daysOf(column) < Math.min(own[column] ?? retention[column], retention[column]),
  );
  const save = (): void => {
    setAsking(false);
    change.mutate({
      files_days: daysIn('files_days'),
      evidence_days: daysIn('evidence_days'),
      readings_days: daysIn('readings_days'),
      seen: revision,
    });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (shortened.length > 0) setAsking(true);
    else save();
  };
  const showDays = (days: number) =>
    t('administration.settings.days', { count: days, days: showNumber(days) });
  return (
    <Section id="retention" title={t('administration.settings.retention')} maw={640}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('administration.settings.retentionHelp')}</Text>
          {KINDS.map(({ column, name, least }) =>
            retention[column] < least ? (
              <Text key={column} size="sm">
                {t(`administration.settings.${name}`)}: {t('administration.settings.notKept')}
              </Text>
            ) : (
              <NumberInput
                key={column}
                label={t(`administration.settings.${name}`)}
                description={t('administration.settings.operatorDays', {
                  days: showDays(retention[column]),
                })}
                min={least}
                max={retention[column]}
                allowDecimal={false}
                value={fields[column]}
                onChange={(value) => setFields({ ...fields, [column]: value })}
              />
            ),
          )}
          <Group>
            <Button type="submit" loading={change.isPending}>
              {t('administration.settings.saveRetention')}
            </Button>
          </Group>
        </Stack>
      </form>
      {isAsking ? (
        <ConfirmModal
          title={t('administration.settings.shorten')}
          text={[
            ...shortened.map(({ column, name }) =>
              t(`administration.settings.shorten.${name}`, { days: showDays(daysOf(column)) }),
            ),
            t('administration.settings.shortenHelp'),
          ].join(' ')}
          action={t('administration.settings.shorten.confirm')}
          isBusy={change.isPending}
          onConfirm={save}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Section>
  );
};
