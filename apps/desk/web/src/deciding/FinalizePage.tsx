import { Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { calls, client, withKey } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { newKeys } from '../app/newKey.ts';
import { notify } from '../app/notices.ts';
import { Page } from '../app/Page.tsx';
import { Section } from '../app/Section.tsx';
import { useStaff } from '../app/session.ts';
import { Answered } from '../app/Answered.tsx';
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
  const state = useRef<HTMLParagraphElement>(null);
  const checklist = useQuery(calls.desk.review.checklist.queryOptions({ exam_id: examId }));
  return (
    <Page title={t('deciding.finalize.title')}>
      <ExamLinks examId={examId} here="/finalize" />
      <Answered query={checklist}>
        {(shown) => (
          <Stack gap="xl">
            <Text role="status" ref={state} tabIndex={-1}>
              {t('deciding.finalize.state', { count: shown.submissions, finalized: shown.finalized })}
            </Text>
            <ChecklistTable checklist={shown} />
            {isAdmin ? (
              <Finalize checklist={shown} onEnd={() => state.current?.focus()} />
            ) : (
              <Text>{t('deciding.finalize.adminOnly')}</Text>
            )}
            <Downloads examId={examId} />
            {shown.finalized === 0 ? null : <FinalizedCopies examId={examId} isAdmin={isAdmin} />}
          </Stack>
        )}
      </Answered>
    </Page>
  );
};

/** @param onEnd takes the focus, which a button loses while it is disabled */
const Finalize = ({ checklist, onEnd }: { checklist: Checklist; onEnd: () => void }) => {
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
      // A later finalization, of copies that are graded by then, is a new command and needs a new key.
      setKeyOf(newKeys);
      setHasLooked(false);
      notify(t('deciding.finalize.done'));
    },
    onSettled: async () => {
      await queryClient.invalidateQueries();
      onEnd();
    },
  });
  const countOf = (...kinds: Checklist['open'][number]['kind'][]): number =>
    checklist.open.reduce((sum, each) => sum + (kinds.includes(each.kind) ? each.submissions : 0), 0);
  const partial = countOf('failed', 'partially_graded');
  const flagged = countOf('needs_review');
  const final = countOf('ready', 'needs_review') + (allowPartial ? partial : 0);
  return (
    <Section id="finalize" title={t('deciding.finalize.heading')}>
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
    </Section>
  );
};
