import { Button, Group, MultiSelect, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Answered } from '../app/Answered.tsx';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { notify, notifyError } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import type { Shares } from './answers.ts';
import { ExamLinks } from './ExamLinks.tsx';
import { ShareCopies } from './ShareCopies.tsx';
import { ShareQuestions } from './ShareQuestions.tsx';

const WAYS = ['none', 'question', 'copies'] as const;

/** An admin shares out the marking of an exam. */
export const SharePage = () => {
  const t = useText();
  const { examId } = useParams({ from: '/signed-in/exams/$examId/share' });
  const shares = useQuery(calls.desk.marking.shares.queryOptions({ exam_id: examId }));
  return (
    <Page title={t('deciding.share.title')}>
      <ExamLinks examId={examId} here="/share" />
      <Answered query={shares}>
        {/* A change by another admin makes the form anew. */}
        {(data) => <ShareForm key={data.shared_at} examId={examId} shares={data} />}
      </Answered>
    </Page>
  );
};

const ShareForm = ({ examId, shares }: { examId: string; shares: Shares }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const { queryKey } = calls.desk.marking.shares.queryOptions({ exam_id: examId });
  const [by, setBy] = useState(shares.by);
  const [chosen, setChosen] = useState(() => {
    const withWork = new Set(shares.questions.flatMap(({ staff_ids }) => staff_ids));
    return shares.people.flatMap(({ staff_id, copies }) =>
      copies > 0 || withWork.has(staff_id) ? [staff_id] : [],
    );
  });
  const [questions, setQuestions] = useState(
    () => new Map(shares.questions.map(({ question_id, staff_ids }) => [question_id, new Set(staff_ids)])),
  );
  const [copies, setCopies] = useState(
    () => new Map(shares.people.map(({ staff_id, copies: number }) => [staff_id, number])),
  );
  const people = shares.people.filter(({ staff_id }) => chosen.includes(staff_id));
  const save = useMutation(
    calls.desk.marking.share.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(queryKey, saved);
        notify(t('deciding.share.saved'));
      },
      onError: (error) => {
        notifyError(error);
        return queryClient.invalidateQueries({ queryKey });
      },
    }),
  );
  const sharing = {
    none: () => ({ by: 'none' as const }),
    question: () => ({
      by: 'question' as const,
      questions: [...questions].map(([question_id, ids]) => ({
        question_id,
        staff_ids: chosen.filter((id) => ids.has(id)),
      })),
    }),
    copies: () => ({
      by: 'copies' as const,
      people: chosen.map((staff_id) => ({ staff_id, copies: copies.get(staff_id) ?? 0 })),
    }),
  };
  return (
    <Stack>
      <Text maw={720}>{t('deciding.share.help')}</Text>
      <Radio.Group
        label={t('deciding.share.way')}
        value={by}
        onChange={(value) => setBy(WAYS.find((way) => way === value) ?? 'none')}
      >
        <Group mt="xs">
          {WAYS.map((way) => (
            <Radio key={way} value={way} label={t(`deciding.share.way.${way}`)} />
          ))}
        </Group>
      </Radio.Group>
      {by === 'none' ? null : (
        <MultiSelect
          maw={720}
          label={t('deciding.share.people')}
          data={shares.people.map(({ staff_id, name }) => ({ value: staff_id, label: name }))}
          value={chosen}
          onChange={setChosen}
          searchable
        />
      )}
      {by === 'question' && people.length > 0 ? (
        <ShareQuestions shares={shares} people={people} chosen={questions} onChange={setQuestions} />
      ) : null}
      {by === 'copies' && people.length > 0 ? (
        <ShareCopies candidates={shares.candidates} people={people} chosen={copies} onChange={setCopies} />
      ) : null}
      <Group>
        <Button
          loading={save.isPending}
          onClick={() => save.mutate({ exam_id: examId, seen: shares.shared_at, sharing: sharing[by]() })}
        >
          {t('app.save')}
        </Button>
      </Group>
    </Stack>
  );
};
