import { Alert, Button, Group, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { useText } from '../app/language.ts';
import { notifyError } from '../app/notices.ts';
import { ChangedMark } from './ChangedMark.tsx';
import { GroupMark } from './GroupMark.tsx';
import { useActionKeys, useDigits } from './keys.ts';
import { Suggestion, useSuggestion } from './Suggestion.tsx';
import type { Screen, ScreenQuestion } from './types.ts';
import { useDecisions } from './useDecisions.ts';
import type { Target } from './useOrder.ts';

export const MarkForm = ({
  screen,
  question,
  group,
  onNext,
  onPrevious,
  onGoTo,
}: {
  screen: Screen;
  question: ScreenQuestion;
  group: readonly string[];
  onNext: () => Promise<void>;
  onPrevious: () => Promise<void>;
  onGoTo: (target: Target) => Promise<void>;
}) => {
  const t = useText();
  const { lowest, highest, result } = question;
  const step = screen.mark_step;
  const place = { submission_id: screen.submission_id, question_id: result.question_id };
  const decisions = useDecisions(place, question);
  const suggestion = useSuggestion(screen, question);
  const [marks, setMarks] = useState(String(decisions.awarded ?? ''));
  const [comment, setComment] = useState(result.review.reason ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const commentField = useRef<HTMLTextAreaElement>(null);
  const marksField = useRef<HTMLInputElement>(null);
  const isClosed = screen.finalized || !['graded', 'partially_graded'].includes(screen.status);
  const held = decisions.pending.find((decision) => decision.held !== null);

  // The field follows the mark that counts, such as after an undo. What the examiner has typed over it stays.
  const followed = useRef(decisions.awarded);
  useEffect(() => {
    const before = followed.current;
    followed.current = decisions.awarded;
    setMarks((shown) => {
      const isFollowing = (shown.trim() === '' ? null : Number(shown)) === before;
      return isFollowing ? String(decisions.awarded ?? '') : shown;
    });
  }, [decisions.awarded]);

  /**
   * Reads the mark in the field, or in `text`. If the question does not allow the mark, shows a problem and returns
   * null.
   */
  const allowedMark = (text = marks): number | null => {
    const mark = Number(text);
    if (text.trim() === '' || !Number.isFinite(mark) || mark < lowest || mark > highest) {
      setProblem(t('marking.outOfRange', { lowest, highest }));
      return null;
    }
    // The mark of a wrong answer need not be in steps; it can be restored as it is.
    if (mark !== lowest && !Number.isInteger(mark / step)) {
      setProblem(t('marking.wrongStep', { step }));
      return null;
    }
    setProblem(null);
    return mark;
  };
  const confirm = async (text = marks): Promise<boolean> => {
    const mark = isClosed ? null : allowedMark(text);
    if (mark === null) return false;
    try {
      await decisions.mark(mark, comment);
      return true;
    } catch (error) {
      // The browser refuses storage, such as when its disk is full: nothing was sent.
      notifyError(error);
      return false;
    }
  };
  const confirmAndNext = async (): Promise<void> => {
    if (await confirm()) await onNext();
  };
  const takeSuggestion = async (): Promise<void> => {
    if (suggestion === null || isClosed) return;
    const suggested = String(suggestion.awarded);
    setMarks(suggested);
    await confirm(suggested);
  };
  const undo = async (): Promise<void> => {
    const at = await decisions.undo();
    if (at === null) return;
    const isHere = at.submission_id === place.submission_id && at.question_id === place.question_id;
    if (!isHere) await onGoTo({ submission: at.submission_id, question: at.question_id });
  };
  const shift = (by: number): void => {
    const from = Number.isFinite(Number(marks)) ? Number(marks) : 0;
    setMarks(String(Math.min(Math.max(from + by, lowest), highest)));
  };
  useActionKeys({
    confirm: () => void confirm(),
    confirmAndNext: () => void confirmAndNext(),
    takeSuggestion: () => void takeSuggestion(),
    next: () => void onNext(),
    previous: () => void onPrevious(),
    undo: () => void undo(),
    raise: () => shift(step),
    lower: () => shift(-step),
    comment: () => commentField.current?.focus(),
  });

  // A digit begins a new mark; the field takes the rest.
  useDigits((digit) => {
    if (isClosed) return;
    setMarks(digit);
    marksField.current?.focus();
  });
  /** Ctrl+Enter confirms from the comment, and Esc leaves it. */
  const onCommentKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.currentTarget.blur();
    void confirmAndNext();
  };

  return (
    <>
      <form
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void confirmAndNext();
        }}
      >
        {isClosed ? (
          <Alert variant="default" mb="sm">
            {t('marking.closed')}
          </Alert>
        ) : null}
        {held === undefined ? null : <ChangedMark decision={held} />}
        {decisions.isOutdated ? (
          <Alert color="orange" variant="default" role="status" mb="sm">
            <Group justify="space-between">
              {t('marking.changedMeanwhile', { marks: result.awarded ?? '–' })}
              <Button size="compact-sm" variant="default" onClick={decisions.acceptShown}>
                {t('marking.changedMeanwhile.seen')}
              </Button>
            </Group>
          </Alert>
        ) : null}
        <Group align="end" wrap="wrap">
          <TextInput
            ref={marksField}
            type="number"
            label={t('marking.marks')}
            description={t('marking.outOf', { lowest, highest })}
            min={lowest}
            max={highest}
            step={step}
            value={marks}
            error={problem}
            disabled={isClosed}
            w={120}
            onChange={(event) => setMarks(event.currentTarget.value)}
          />
          <Button type="button" variant="default" onClick={() => void confirm()} disabled={isClosed}>
            {t('marking.confirm')}
          </Button>
          <Button type="submit" disabled={isClosed}>
            {t('marking.confirmAndNext')}
          </Button>
          <Button type="button" variant="default" onClick={() => void onPrevious()}>
            {t('marking.previous')}
          </Button>
          <Button type="button" variant="default" onClick={() => void onNext()}>
            {t('marking.next')}
          </Button>
          <Button type="button" variant="default" onClick={() => void undo()} disabled={!decisions.canUndo}>
            {t('marking.undo')}
          </Button>
        </Group>
        <Textarea
          ref={commentField}
          onKeyDown={onCommentKey}
          mt="xs"
          label={t('marking.comment')}
          autosize
          minRows={1}
          maxRows={6}
          maxLength={2000}
          value={comment}
          disabled={isClosed}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <GroupMark
          place={{ ...place, exam_id: screen.exam.id }}
          ids={group}
          allowedMark={allowedMark}
          comment={comment}
        />
      </form>
      {suggestion === null ? null : (
        <Suggestion suggestion={suggestion} isClosed={isClosed} onTake={() => void takeSuggestion()} />
      )}
    </>
  );
};
