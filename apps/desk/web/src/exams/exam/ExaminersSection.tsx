import { Button, Group, MultiSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { notify } from '../../app/notices.ts';
import { Section } from '../../app/Section.tsx';

/** For admins of an institute that assigns its exams; shows nothing in any other one. */
export const ExaminersSection = ({ examId }: { examId: string }) => {
  const { data } = useQuery(calls.desk.exams.examiners.queryOptions({ exam_id: examId }));
  if (data?.assigned_only !== true) return null;
  const assigned = data.data.flatMap(({ staff_id, is_assigned }) => (is_assigned ? [staff_id] : []));
  return <Examiners key={assigned.join(' ')} examId={examId} people={data.data} assigned={assigned} />;
};

const Examiners = ({
  examId,
  people,
  assigned,
}: {
  examId: string;
  people: readonly { staff_id: string; name: string }[];
  assigned: string[];
}) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState(assigned);
  const assign = useMutation(
    calls.desk.exams.assign.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(calls.desk.exams.examiners.queryKey({ exam_id: examId }), saved);
        notify(t('exams.examiners.saved'));
      },
    }),
  );
  const isChanged = chosen.toSorted().join(' ') !== assigned.toSorted().join(' ');
  return (
    <Section id="examiners" title={t('exams.examiners')} maw={640}>
      <Text size="sm" mb="xs">
        {t('exams.examiners.help')}
      </Text>
      <Group align="flex-start" wrap="nowrap">
        <MultiSelect
          flex={1}
          aria-label={t('exams.examiners')}
          placeholder={chosen.length === 0 ? t('exams.examiners.none') : ''}
          data={people.map(({ staff_id, name }) => ({ value: staff_id, label: name }))}
          value={chosen}
          onChange={setChosen}
          searchable
        />
        <Button
          disabled={!isChanged}
          loading={assign.isPending}
          onClick={() => assign.mutate({ exam_id: examId, staff_ids: chosen })}
        >
          {t('app.save')}
        </Button>
      </Group>
    </Section>
  );
};
