import { Button, Group, Stack, Table, Textarea } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { calls, client, withKey } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { showTime } from '../app/times.ts';
import { MoreButton } from '../app/MoreButton.tsx';
import { newKeys } from '../app/newKey.ts';
import { notify } from '../app/notices.ts';
import { Section } from '../app/Section.tsx';
import { Answered } from '../app/Answered.tsx';
import { TableBox } from '../app/TableBox.tsx';
import type { CandidateOfBook } from './answers.ts';

const PAGE = 20;

/** Name, roll number and id, as far as they are shown. */
const nameOf = ({ name, roll_number, external_id }: CandidateOfBook): string =>
  [...new Set([name, roll_number, external_id])].filter((part) => part !== null).join(' · ');

/** The finalized copies of an exam. An admin can make one changeable again, with a reason for the audit. */
export const FinalizedCopies = ({ examId, isAdmin }: { examId: string; isAdmin: boolean }) => {
  const t = useText();
  const [opened, setOpened] = useState<string | null>(null);
  const copies = useInfiniteQuery(
    calls.desk.exams.markBook.infiniteQueryOptions(
      { exam_id: examId, show: 'finalized', marks: false, limit: PAGE },
      { getNextPageParam: (page) => page.next_cursor, initialCursor: undefined },
    ),
  );
  return (
    <Section id="finalized" title={t('deciding.unfinalize.title')}>
      <Answered query={copies}>
        {({ pages }) => (
          <TableBox
            caption={t('deciding.unfinalize.caption')}
            columns={[
              t('deciding.review.candidate'),
              t('deciding.unfinalize.since'),
              t('deciding.review.action'),
            ]}
          >
            {pages
              .flatMap(({ data }) => data)
              .flatMap(({ candidate, submission }) =>
                submission === null ? [] : [{ candidate, ...submission }],
              )
              .map(({ id, candidate, finalized_at }) => (
                <Table.Tr key={id}>
                  <Table.Th scope="row">{nameOf(candidate)}</Table.Th>
                  <Table.Td>{finalized_at === null ? '' : showTime(finalized_at)}</Table.Td>
                  <Table.Td>
                    {!isAdmin ? null : opened === id ? (
                      <Unfinalize submissionId={id} onDone={() => setOpened(null)} />
                    ) : (
                      <Button variant="default" size="compact-sm" onClick={() => setOpened(id)}>
                        {t('deciding.unfinalize.open')}
                      </Button>
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
          </TableBox>
        )}
      </Answered>
      <MoreButton list={copies} />
    </Section>
  );
};

const Unfinalize = ({ submissionId, onDone }: { submissionId: string; onDone: () => void }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [keyOf] = useState(newKeys);
  const [reason, setReason] = useState('');
  const unfinalize = useMutation({
    mutationFn: () => {
      const request = { submission_id: submissionId, body: { reason } };
      return client.submissions.unfinalize.mutate(request, { context: withKey(keyOf(request)) });
    },
    onSuccess: () => {
      notify(t('deciding.unfinalize.done'));
      onDone();
    },
    onSettled: () => queryClient.invalidateQueries(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    unfinalize.mutate();
  };
  return (
    <Stack component="form" onSubmit={submit} gap="xs">
      <Textarea
        label={t('deciding.unfinalize.reason')}
        required
        withAsterisk={false}
        autosize
        maxLength={2000}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Group>
        <Button
          type="submit"
          size="compact-sm"
          disabled={reason.trim() === ''}
          loading={unfinalize.isPending}
        >
          {t('deciding.unfinalize.button')}
        </Button>
        <Button variant="default" size="compact-sm" onClick={onDone}>
          {t('app.cancel')}
        </Button>
      </Group>
    </Stack>
  );
};
