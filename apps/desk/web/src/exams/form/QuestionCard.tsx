import { Button, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { memo, type MouseEvent } from 'react';
import { useText } from '../../app/language.ts';
import type { ChangeExam, DraftQuestion, ExamDraft } from './draft.ts';
import { hasProblem, type Problems } from './problems.ts';
import { QuestionEditor } from './QuestionEditor.tsx';
import { withChanged } from './questions.ts';

const SHOWN_TEXT = 160;

/**
 * What the list does with a question. The functions stay the same, so that a card is drawn again for its own changes
 * only.
 */
export interface QuestionActions {
  change: ChangeExam;
  toggle: (key: string) => void;
  /** @param button has the focus again after the move */
  move: (key: string, by: -1 | 1, button: HTMLElement) => void;
  duplicate: (key: string, index: number) => void;
  remove: (key: string, index: number) => void;
}

/** One question: its head, and its fields while it is open. */
export const QuestionCard = memo(
  ({
    question,
    index,
    isLast,
    isOpen,
    mode,
    sections,
    problems,
    warnings,
    isDraft,
    hasRoom,
    actions,
  }: {
    question: DraftQuestion;
    index: number;
    isLast: boolean;
    isOpen: boolean;
    mode: ExamDraft['mode'];
    sections: readonly string[];
    problems: Problems;
    warnings: readonly string[];
    /** The marking scheme is fixed once the exam is open. */
    isDraft: boolean;
    /** False for a paper with as many questions as it can have. */
    hasRoom: boolean;
    actions: QuestionActions;
  }) => {
    const t = useText();
    const { key, label } = question;
    const at = `questions[${index}]`;
    const move = (by: -1 | 1, isAtEnd: boolean) => ({
      // A disabled button would lose the focus at the end of the way.
      'aria-disabled': isAtEnd,
      'data-disabled': isAtEnd || undefined,
      onClick: ({ currentTarget }: MouseEvent<HTMLElement>) => {
        if (!isAtEnd) actions.move(key, by, currentTarget);
      },
    });
    return (
      <Paper withBorder px="md" py="xs" role="group" aria-label={t('exams.form.question', { label })}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Title order={3} size="sm" flex={1} miw={0}>
            <UnstyledButton
              id={at}
              w="100%"
              py={4}
              fz="sm"
              aria-expanded={isOpen}
              onClick={() => actions.toggle(key)}
            >
              <Text inherit truncate="end">
                <span aria-hidden>{isOpen ? '▾ ' : '▸ '}</span>
                <b>{t('exams.form.question', { label })}</b>
                {isOpen ? null : (
                  <Text span inherit fw={400}>
                    {' '}
                    · {headOf(t, question)}
                  </Text>
                )}
              </Text>
            </UnstyledButton>
          </Title>
          {!isOpen && hasProblem(problems, at) ? (
            <Text size="sm" c="var(--mantine-color-error)">
              {t('exams.form.toCorrect')}
            </Text>
          ) : null}
          {!isOpen && warnings.length > 0 ? <Text size="sm">{t('exams.form.hasNote')}</Text> : null}
          {isDraft ? (
            <Button.Group>
              <Button
                variant="default"
                size="compact-xs"
                aria-label={t('exams.form.moveQuestionUp', { label })}
                {...move(-1, index === 0)}
              >
                {t('exams.form.moveUp')}
              </Button>
              <Button
                variant="default"
                size="compact-xs"
                aria-label={t('exams.form.moveQuestionDown', { label })}
                {...move(1, isLast)}
              >
                {t('exams.form.moveDown')}
              </Button>
              <Button
                variant="default"
                size="compact-xs"
                disabled={!hasRoom}
                aria-label={t('exams.form.duplicateQuestion', { label })}
                onClick={() => actions.duplicate(key, index)}
              >
                {t('exams.form.duplicate')}
              </Button>
            </Button.Group>
          ) : null}
        </Group>
        {isOpen ? (
          <Stack gap="sm" py="xs">
            <QuestionEditor
              question={question}
              mode={mode}
              sections={sections}
              at={at}
              problems={problems}
              warnings={warnings}
              isDraft={isDraft}
              onChange={(change) => actions.change((draft) => withChanged(draft, key, change))}
              onRemove={() => actions.remove(key, index)}
            />
          </Stack>
        ) : null}
      </Paper>
    );
  },
);

/** Type, marks and beginning of the text, as a closed question shows them. */
const headOf = (t: ReturnType<typeof useText>, { type, maxMarks, text }: DraftQuestion): string =>
  [
    t(`exams.type.${type}`),
    ...(maxMarks === '' ? [] : [t('exams.form.marksOf', { count: maxMarks })]),
    text.trim() === '' ? t('exams.form.noText') : text.slice(0, SHOWN_TEXT),
  ].join(' · ');
