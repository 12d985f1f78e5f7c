import { Text } from '@mantine/core';
import { useParams, Link } from '@tanstack/react-router';
import { useText } from '../app/language.ts';
import { useMarking } from './seenMarks.ts';
import { useQueueSnapshot } from './useMarkQueue.ts';

/** Says if all marks of this browser are stored. `Saved` is shown only after core has answered. */
export const SaveState = () => {
  const t = useText();
  const { id } = useParams({ from: '/signed-in/exams/$id/mark' });
  const { queue } = useMarking();
  const { items: decisions, connection } = useQueueSnapshot(queue);
  const held = decisions.filter((decision) => decision.held !== null);
  const waiting = decisions.length - held.length;
  const [first] = held;
  return (
    <div role="status">
      {waiting === 0 && held.length === 0 ? <Text>{t('marking.saved')}</Text> : null}
      {waiting > 0 ? (
        <Text fw={700}>
          {t(connection === 'unreachable' ? 'marking.offline' : 'marking.saving', { count: waiting })}
        </Text>
      ) : null}
      {connection === 'signed-out' ? <Text fw={700}>{t('marking.signedOut')}</Text> : null}
      {first === undefined ? null : (
        <Link
          to="/exams/$id/mark"
          params={{ id }}
          search={{ submission: first.submission_id, question: first.question_id }}
        >
          {t('marking.heldMarks', { count: held.length })}
        </Link>
      )}
    </div>
  );
};
