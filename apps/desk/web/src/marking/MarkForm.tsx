import { Alert, Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { t, useText } from '../app/language.ts';
import { notifyError } from '../app/notices.ts';
import { ChangedMark } from './ChangedMark.tsx';
import { GroupMark } from './GroupMark.tsx';
import { useActionKeys, useDigits } from './keys.ts';
import { Remarks } from './Remarks.tsx';
import { Suggestion, useSuggestion } from './Suggestion.tsx';
import type { Screen, ScreenQuestion, Target } from './types.ts';
import type { Decisions } from './useDecisions.ts';
import type { MarkDraft } from './useMarkDraft.ts';

/** Most characters of a comment or feedback. Core refuses more. */
const MOST_CHARACTERS = 2000;
export const tooLong = (text: string): string | null =>
  text.length > MOST_CHARACTERS ? t('marking.tooLong', { most: MOST_CHARACTERS, length: text.length }) : null;

export const MarkForm = ({
  screen,
  question,
  draft,
  decisions,
  isClosed,
  onNext,
  onNextOpen,
  onPrevious,
  onGoTo,
}: {
  screen: Screen;
  question: ScreenQuestion;
  draft: MarkDraft;
  decisions: Decisions;
  /** True if the marks of the copy cannot be changed. */
  isClosed: boolean;
  onNext: () => Promise<void>;
  /** Goes to the next answer that needs a teacher. */
  onNextOpen: () => Promise<void>;
  onPrevious: () => Promise<void>;
  onGoTo: (target: Target) => Promise<void>;
}) => {
  useText();
  const { lowest, highest, result } = question;
  const step = screen.mark_step;
  const place = { submission_id: screen.submission_id, question_id: result.question_id };
  const suggestion = useSuggestion(screen, question);
  const [problem, setProblem] = useState<string | null>(null);
  const commentField = useRef<HTMLTextAreaElement>(null);
  const marksField = useRef<HTMLInputElement>(null);
  const held = decisions.pending.find((decision) => decision.held !== null);

  // The form is mounted anew for each question. On a tablet, a focused field would open the keyboard.
  useEffect(() => {
    if (isClosed || matchMedia('(pointer: coarse)').matches) return;
    marksField.current?.focus({ preventScroll: true });
    marksField.current?.select();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const refuse = (text: string): null => {
    setProblem(text);
    return null;
  };
  /**
   * Reads the mark in the field, or in `text`. If the question does not allow the mark, shows a problem and returns
   * null.
   */
  const allowedMark = (text = draft.marks): number | null => {
    const mark = Number(text);
    if (text.trim() === '' || !Number.isFinite(mark) || mark < lowest || mark > highest) {
      return refuse(t('marking.outOfRange', { lowest, highest }));
    }
    // The mark of a wrong answer need not be in steps; it can be restored as it is.
    if (mark !== lowest && !Number.isInteger(mark / step)) return refuse(t('marking.wrongStep', { step }));
    const isBeyond = (draft.details.criteria ?? []).some(
      (marks, index) => !(marks >= 0 && marks <= (result.criteria[index]?.max ?? Infinity)),
    );
    if (isBeyond) return refuse(t('marking.criterion.outOfRange'));
    const long = tooLong(draft.comment) ?? tooLong(draft.feedback);
    if (long !== null) return refuse(long);
    setProblem(null);
    return mark;
  };
  const confirm = async (text?: string): Promise<boolean> => {
    const mark = isClosed ? null : allowedMark(text);
    if (mark === null) return false;
    const { typed, comment, details } = draft;
    try {
      await decisions.mark({
        awarded: mark,
        comment,
        criteria: text === undefined ? details.criteria : null,
        feedback: details.feedback,
      });
      draft.confirmed(text === undefined ? typed : { ...typed, marks: text });
      return true;
    } catch (error) {
      // The browser refuses storage, such as when its disk is full: nothing was sent.
      notifyError(error);
      return false;
    }
  };
  // A second Enter before the next answer is shown would confirm an answer that was not seen.
  const isGoing = useRef(false);
  const confirmAndNext = async (): Promise<void> => {
    if (isGoing.current) return;
    isGoing.current = true;
    try {
      if (await confirm()) await onNextOpen();
    } finally {
      isGoing.current = false;
    }
  };
  const takeSuggestion = async (): Promise<void> => {
    if (suggestion === null || isClosed) return;
    const suggested = String(suggestion.awarded);
    draft.typeMarks(suggested);
    await confirm(suggested);
  };
  const undo = async (): Promise<void> => {
    const at = await decisions.undo();
    if (at === null) return;
    const isHere = at.submission_id === place.submission_id && at.question_id === place.question_id;
    if (!isHere) await onGoTo({ submission: at.submission_id, question: at.question_id });
  };
  const shift = (by: number): void => {
    const from = Number.isFinite(Number(draft.marks)) ? Number(draft.marks) : 0;
    draft.typeMarks(String(Math.min(Math.max(from + by, lowest), highest)));
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
    draft.typeMarks(digit);
    marksField.current?.focus();
  });
  /** Ctrl+Enter confirms from a text, and Esc leaves it. */
  const onTextKey = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
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
        {draft.isRestored ? (
          <Group mb="xs" gap="xs">
            <Text size="sm" fw={700}>
              {t('marking.draft', { marks: decisions.counts.awarded ?? '–' })}
            </Text>
            <Button size="compact-xs" variant="default" onClick={draft.discard}>
              {t('marking.draft.discard')}
            </Button>
          </Group>
        ) : null}
        <Group align="end" gap="xs">
          <TextInput
            ref={marksField}
            type="number"
            label={t('marking.marks')}
            description={t('marking.outOf', { lowest, highest })}
            min={lowest}
            max={highest}
            step={step}
            value={draft.marks}
            error={problem}
            disabled={isClosed}
            w={120}
            onChange={(event) => draft.typeMarks(event.currentTarget.value)}
          />
          <Button type="submit" disabled={isClosed}>
            {t('marking.confirmAndNext')}
          </Button>
          <Button type="button" variant="default" onClick={() => void confirm()} disabled={isClosed}>
            {t('marking.confirm')}
          </Button>
        </Group>
        <Group mt="xs" gap="xs">
          <Button type="button" size="compact-sm" variant="default" onClick={() => void onPrevious()}>
            {t('marking.previous')}
          </Button>
          <Button type="button" size="compact-sm" variant="default" onClick={() => void onNext()}>
            {t('marking.next')}
          </Button>
          <Button
            type="button"
            size="compact-sm"
            variant="default"
            onClick={() => void undo()}
            disabled={decisions.latest === null}
          >
            {t('marking.undo')}
          </Button>
          <Text size="sm" role="status">
            {decisions.latest === null
              ? ''
              : t('marking.given', { marks: decisions.latest.awarded, what: decisions.latest.label })}
          </Text>
        </Group>
        <Textarea
          ref={commentField}
          onKeyDown={onTextKey}
          mt="xs"
          label={t('marking.comment')}
          rightSectionWidth={100}
          rightSection={
            <Remarks
              place={{ exam_id: screen.exam.id, question_id: result.question_id }}
              isClosed={isClosed}
              onChoose={(remark) =>
                draft.type({
                  comment: [draft.comment.trim(), remark].filter((part) => part !== '').join(' '),
                })
              }
            />
          }
          autosize
          minRows={1}
          maxRows={6}
          value={draft.comment}
          error={tooLong(draft.comment)}
          disabled={isClosed}
          onChange={(event) => draft.type({ comment: event.currentTarget.value })}
        />
        <GroupMark
          place={{ ...place, exam_id: screen.exam.id }}
          question={result.label}
          allowedMark={allowedMark}
          comment={draft.comment}
          isClosed={isClosed}
          onMarked={() => draft.confirmed(draft.typed)}
        />
      </form>
      {suggestion === null ? null : (
        <Suggestion suggestion={suggestion} isClosed={isClosed} onTake={() => void takeSuggestion()} />
      )}
    </>
  );
};
