import { Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { calls, client, withKey } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { newKeys } from '../app/newKey.ts';
import { tell, tellError } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import { useStaff } from '../app/session.ts';
import { Answered } from './Answered.tsx';
import type { Checklist } from './answers.ts';
import { ChecklistTable } from './ChecklistTable.tsx';
import { Downloads } from './Downloads.tsx';
import { ExamLinks } from './ExamLinks.tsx';
import { FinalizedCopies } from './FinalizedCopies.tsx';

/** What is open in an exam, the command that makes its marks final, and its undo for one copy. */
export const FinalizePage = () => {
  const t = useText();
  const { examId } = useParams({ from: '/signed-in/exams/$examId/finalize' });
  const isAdmin = useStaff().role === 'admin';
  const checklist = useQuery(calls.desk.review.checklist.queryOptions({ exam_id: examId }));
  return (
    <Page title={t('deciding.finalize.title')}>
      <ExamLinks examId={examId} here="/finalize" />
      <Answered query={checklist}>
        {(shown) => (
          <Stack gap="xl">
            <Text role="status">
              {t('deciding.finalize.state', { count: shown.submissions, finalized: shown.finalized })}
            </Text>
            <ChecklistTable checklist={shown} />
            {isAdmin ? <Finalize checklist={shown} /> : <Text>{t('deciding.finalize.adminOnly')}</Text>}
            <Downloads examId={examId} />
            {shown.finalized === 0 ? null : <FinalizedCopies examId={examId} isAdmin={isAdmin} />}
          </Stack>
        )}
      </Answered>
    </Page>
  );
};

const Finalize = ({ checklist }: { checklist: Checklist }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [allowPartial, setAllowPartial] = useState(false);
  const [hasLooked, setHasLooked] = useState(false);
  const [keyOf, setKeyOf] = useState(newKeys);
  const finalize = useMutation({
    mutationFn: () => {
      const request = {
        exam_id: checklist.exam_id,
        body: { all_graded: true, allow_partial: allowPartial } as const,
      };
      return client.exams.finalize.mutate(request, { context: withKey(keyOf(request)) });
    },
    onSuccess: () => {
      // The same command later, for copies that are graded then, is another one.
      setKeyOf(newKeys);
      setHasLooked(false);
      tell(t('deciding.finalize.done'));
    },
    onError: tellError,
    onSettled: () => queryClient.invalidateQueries(),
  });
  const countOf = (...kinds: Checklist['open'][number]['kind'][]): number =>
    checklist.open.reduce((sum, each) => sum + (kinds.includes(each.kind) ? each.submissions : 0), 0);
  const partial = countOf('failed', 'partially_graded');
  const flagged = countOf('needs_review');
  const final = countOf('ready', 'needs_review') + (allowPartial ? partial : 0);
  return (
    <section aria-labelledby="finalize">
      <Stack>
        <Title order={2} size="h3" id="finalize">
          {t('deciding.finalize.heading')}
        </Title>
        {partial === 0 ? null : (
          <Checkbox
            label={t('deciding.finalize.partial', { count: partial })}
            checked={allowPartial}
            onChange={(event) => setAllowPartial(event.currentTarget.checked)}
          />
        )}
        {flagged === 0 ? null : (
          <Checkbox
            label={t('deciding.finalize.flagged', { count: flagged })}
            checked={hasLooked}
            onChange={(event) => setHasLooked(event.currentTarget.checked)}
          />
        )}
        <Group>
          <Button
            disabled={final === 0 || (flagged > 0 && !hasLooked)}
            loading={finalize.isPending}
            onClick={() => finalize.mutate()}
          >
            {t('deciding.finalize.button', { count: final })}
          </Button>
        </Group>
      </Stack>
    </section>
  );
};
