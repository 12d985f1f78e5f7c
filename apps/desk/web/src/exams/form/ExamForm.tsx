import { Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { startTransition, useMemo, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useText } from '../../app/language.ts';
import { newKey } from '../../app/newKey.ts';
import { Notice } from '../Notice.tsx';
import { questionOf, textOfWarning, type Warning } from '../textOfWarning.ts';
import { ChoiceGroups } from './ChoiceGroups.tsx';
import { emptyQuestion, nextLabel, totalMarks, type ChangeExam, type ExamDraft } from './draft.ts';
import { ExamFields } from './ExamFields.tsx';
import { focusField } from './focusField.ts';
import { ImportExam } from './ImportExam.tsx';
import { ProblemSummary } from './ProblemSummary.tsx';
import { problemBelow, type Problems } from './problems.ts';
import { QuestionCard, type QuestionActions } from './QuestionCard.tsx';
import { withCopy, withMoved, withoutQuestion } from './questions.ts';
import { SectionsEditor } from './SectionsEditor.tsx';
import { useOpenQuestions } from './useOpenQuestions.ts';

const MOST_QUESTIONS = 200;
const NO_WARNINGS: readonly Warning[] = [];
const NO_TEXTS: readonly string[] = [];

export const ExamForm = ({
  draft,
  problems,
  refusals,
  warnings = NO_WARNINGS,
  isDraft,
  onChange,
  actions,
}: {
  draft: ExamDraft;
  problems: Problems;
  refusals: number;
  /** Warnings of the API; those that name a question are shown at it. */
  warnings?: readonly Warning[];
  isDraft: boolean;
  /** The same function at each call, so that a change of one question draws no other one. */
  onChange: ChangeExam;
  actions: ReactNode;
}) => {
  const t = useText();
  const { questions } = draft;
  const { areOpen, isOpen, toggle, open, setAll, restart } = useOpenQuestions(questions.length);
  const [moved, setMoved] = useState<string | null>(null);
  const sections = useMemo(() => draft.sections.map(({ name }) => name), [draft.sections]);
  const textsOf = useWarnings(warnings, questions);
  const ofQuestions = useMemo(
    (): QuestionActions => ({
      change: onChange,
      toggle,
      move: (key, by, button) => {
        flushSync(() => {
          onChange((now) => withMoved(now, key, by));
          setMoved(key);
        });
        // The browser takes the focus from an element that moves.
        button.focus();
        button.scrollIntoView({ block: 'nearest' });
      },
      duplicate: (key, index) => {
        const copy = newKey();
        flushSync(() => {
          onChange((now) => withCopy(now, key, copy));
          open(copy);
        });
        focusField(`questions[${index + 1}]`);
      },
      remove: (key, index) => {
        flushSync(() => onChange((now) => withoutQuestion(now, key)));
        // The next question is in its place now; after the last one, the one before it.
        if (!focusField(`questions[${index}]`)) focusField(`questions[${index - 1}]`);
      },
    }),
    [onChange, toggle, open],
  );
  const showField = (path: string): void => {
    const [, index] = /^questions\[(\d+)\]/.exec(path) ?? [];
    const question = questions[Number(index)];
    if (question !== undefined) flushSync(() => open(question.key));
    focusField(path);
  };
  const movedTo = questions.findIndex(({ key }) => key === moved);
  return (
    <Stack>
      <ProblemSummary draft={draft} problems={problems} refusals={refusals} onOpen={showField} />
      <ExamFields
        draft={draft}
        problems={problems}
        isDraft={isDraft}
        onChange={(change) => onChange((now) => ({ ...now, ...change }))}
      />
      <SectionsEditor draft={draft} problems={problems} isDraft={isDraft} onChange={onChange} />
      <ChoiceGroups
        count={draft.choiceGroups.length}
        problem={problemBelow(problems, 'choice_groups')}
        onRemove={() => onChange((now) => ({ ...now, choiceGroups: [] }))}
      />
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('exams.form.questions')}
        </Title>
        <Group>
          {questions.length < 2 ? null : (
            <Button
              variant="subtle"
              size="compact-sm"
              onClick={() => startTransition(() => setAll(!areOpen))}
            >
              {t(areOpen ? 'exams.form.collapseAll' : 'exams.form.expandAll')}
            </Button>
          )}
          <Text aria-live="polite">{t('exams.form.total', { marks: totalMarks(questions) })}</Text>
        </Group>
      </Group>
      {isDraft ? (
        <ImportExam
          draft={draft}
          onChange={(read) => {
            restart(read.questions.length);
            onChange(() => read);
          }}
        />
      ) : null}
      {problems.has('questions') ? <Notice kind="problem">{problems.get('questions')}</Notice> : null}
      {textsOf(undefined).map((warning) => (
        <Notice key={warning} kind="note">
          {warning}
        </Notice>
      ))}
      <Stack gap="xs">
        {questions.map((question, index) => (
          <QuestionCard
            key={question.key}
            question={question}
            index={index}
            isLast={index === questions.length - 1}
            isOpen={isOpen(question.key)}
            mode={draft.mode}
            sections={sections}
            problems={problems}
            warnings={textsOf(question.label)}
            isDraft={isDraft}
            hasRoom={questions.length < MOST_QUESTIONS}
            actions={ofQuestions}
          />
        ))}
      </Stack>
      <VisuallyHidden role="status">
        {movedTo === -1
          ? ''
          : t('exams.form.moved', { label: questions[movedTo]?.label ?? '', place: movedTo + 1 })}
      </VisuallyHidden>
      <Group justify="space-between">
        <Button
          variant="default"
          disabled={!isDraft || questions.length >= MOST_QUESTIONS}
          onClick={() => {
            const question = emptyQuestion(nextLabel(questions));
            open(question.key);
            onChange((now) => ({ ...now, questions: [...now.questions, question] }));
          }}
        >
          {t('exams.form.addQuestion')}
        </Button>
        <Group>{actions}</Group>
      </Group>
    </Stack>
  );
};

/** @returns a function that gives the texts of the warnings about a question, or of those that name no question */
const useWarnings = (warnings: readonly Warning[], questions: ExamDraft['questions']) => {
  const lines = questions.map(({ label }) => label).join('\n');
  const texts = useMemo(() => {
    const labels = lines.split('\n');
    const found = new Map<string | undefined, readonly string[]>();
    for (const warning of warnings) {
      const label = questionOf(warning, labels);
      found.set(label, [...(found.get(label) ?? []), textOfWarning(warning, labels)]);
    }
    return found;
  }, [warnings, lines]);
  return (label: string | undefined): readonly string[] => texts.get(label) ?? NO_TEXTS;
};
