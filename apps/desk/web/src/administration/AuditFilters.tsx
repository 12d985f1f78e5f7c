import { Group, Pill, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { calls } from '../app/calls.ts';
import { FilterSelect } from '../app/FilterSelect.tsx';
import { useText } from '../app/language.ts';
import { ACTIONS, type ActFilter } from './audit.ts';

/** Start of a day of the browser's time zone, as a moment. */
const startOfDay = (day: string, later = 0): string => {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  return start.toISOString();
};

export const AuditFilters = ({
  filter,
  onChange,
}: {
  filter: ActFilter;
  onChange: (filter: ActFilter) => void;
}) => {
  const t = useText();
  const { data: staff } = useQuery(calls.desk.people.list.queryOptions({ limit: 200 }));
  const { data: exams } = useQuery(calls.exams.list.queryOptions({ query: { limit: '200' } }));
  const set = (change: Partial<ActFilter>) => {
    const changed = { ...filter, ...change };
    onChange(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)));
  };
  return (
    <Group component="search" align="flex-end" mb="md">
      <FilterSelect
        label={t('administration.audit.person')}
        data={staff?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={filter.person ?? null}
        onChange={(person) => set({ person: person ?? undefined })}
        searchable
      />
      <FilterSelect
        label={t('administration.exam')}
        data={exams?.data.map(({ id, title }) => ({ value: id, label: title })) ?? []}
        value={filter.exam_id ?? null}
        onChange={(examId) => set({ exam_id: examId ?? undefined })}
        searchable
      />
      <FilterSelect
        label={t('administration.audit.action')}
        data={ACTIONS.map((action) => ({ value: action, label: t(`administration.action.${action}`) }))}
        value={filter.action ?? null}
        onChange={(value) => set({ action: ACTIONS.find((action) => action === value) })}
      />
      <TextInput
        type="date"
        label={t('administration.audit.from')}
        onChange={({ currentTarget: { value } }) =>
          set({ from: value === '' ? undefined : startOfDay(value) })
        }
      />
      <TextInput
        type="date"
        label={t('administration.audit.to')}
        onChange={({ currentTarget: { value } }) =>
          set({ to: value === '' ? undefined : startOfDay(value, 1) })
        }
      />
      {filter.submission_id === undefined ? null : (
        <Pill.Group>
          <Pill
            withRemoveButton
            size="lg"
            onRemove={() => set({ submission_id: undefined })}
            removeButtonProps={{ 'aria-label': t('app.clear'), 'aria-hidden': false, tabIndex: 0 }}
          >
            {t('administration.audit.oneCopy')}
          </Pill>
        </Pill.Group>
      )}
    </Group>
  );
};
