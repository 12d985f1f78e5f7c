import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import { questionOf, textOfWarning, type Warning } from '../textOfWarning.ts';
import { ChoiceGroups } from './ChoiceGroups.tsx';
import { emptyQuestion, nextLabel, totalMarks, type DraftQuestion, type ExamDraft } from './draft.ts';
import { ExamFields } from './ExamFields.tsx';
import { placeOf } from './fieldNames.ts';
import { problemBelow, type Problems } from './problems.ts';
import { QuestionEditor } from './QuestionEditor.tsx';
import { SectionsEditor } from './SectionsEditor.tsx';

const MOST_QUESTIONS = 200;

export const ExamForm = ({
  draft,
  problems,
  warnings = [],
  isDraft,
  onChange,
  tools,
  actions,
}: {
  draft: ExamDraft;
  problems: Problems;
  /** Warnings of the API; those that name a question are shown at it. */
  warnings?: readonly Warning[];
  isDraft: boolean;
  onChange: (draft: ExamDraft) => void;
  tools?: ReactNode;
  actions: ReactNode;
}) => {
  const t = useText();
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (problems.size > 0) summary.current?.focus();
  }, [problems]);
  const replace = (key: string, question: DraftQuestion) =>
    onChange({ ...draft, questions: draft.questions.map((one) => (one.key === key ? question : one)) });
  const labels = draft.questions.map(({ label }) => label);
  /** Texts of the warnings about a question. Without a label: texts of the warnings that name no question. */
  const warningsOf = (label: string | undefined) =>
    warnings
      .filter((warning) => questionOf(warning, labels) === label)
      .map((warning) => textOfWarning(warning, labels));
  return (
    <Stack>
      {problems.size > 0 ? (
        <Notice ref={summary} kind="problem" title={t('exams.form.problems')}>
          <List size="sm">
            {[...problems].map(([field, message]) => (
              <List.Item key={field}>
                {placeOf(field, draft)}: {message}
              </List.Item>
            ))}
          </List>
        </Notice>
      ) : null}
      <ExamFields
        draft={draft}
        problems={problems}
        isDraft={isDraft}
        onChange={(change) => onChange({ ...draft, ...change })}
      />
      <SectionsEditor draft={draft} problems={problems} isDraft={isDraft} onChange={onChange} />
      <ChoiceGroups
        count={draft.choiceGroups.length}
        problem={problemBelow(problems, 'choice_groups')}
        onRemove={() => onChange({ ...draft, choiceGroups: [] })}
      />
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('exams.form.questions')}
        </Title>
        <Text aria-live="polite">{t('exams.form.total', { marks: totalMarks(draft.questions) })}</Text>
      </Group>
      {tools}
      {problems.has('questions') ? <Notice kind="problem">{problems.get('questions')}</Notice> : null}
      {warningsOf(undefined).map((warning) => (
        <Notice key={warning} kind="note">
          {warning}
        </Notice>
      ))}
      {draft.questions.map((question, index) => (
        <QuestionEditor
          key={question.key}
          question={question}
          mode={draft.mode}
          sections={draft.sections.map(({ name }) => name)}
          at={`questions[${index}]`}
          problems={problems}
          warnings={warningsOf(question.label)}
          isDraft={isDraft}
          onChange={(changed) => replace(question.key, changed)}
          onRemove={() =>
            onChange({ ...draft, questions: draft.questions.filter(({ key }) => key !== question.key) })
          }
        />
      ))}
      <Group justify="space-between">
        <Button
          variant="default"
          disabled={!isDraft || draft.questions.length >= MOST_QUESTIONS}
          onClick={() =>
            onChange({ ...draft, questions: [...draft.questions, emptyQuestion(nextLabel(draft.questions))] })
          }
        >
          {t('exams.form.addQuestion')}
        </Button>
        <Group>{actions}</Group>
      </Group>
    </Stack>
  );
};
