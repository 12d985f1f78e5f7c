import { Button, Group, List, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Question } from '@evaluation/rest-contract/schemas';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { PasteOrFile } from '../files/PasteOrFile.tsx';
import { readAnswers, type TypedAnswers } from '../files/readAnswers.ts';
import type { FileProblem } from '../files/readTable.ts';
import { submitAnswers, type Outcome } from './submitAnswers.ts';

export const AnswersImport = ({ examId, questions }: { examId: string; questions: readonly Question[] }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [found, setFound] = useState<readonly TypedAnswers[]>([]);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [isBusy, setBusy] = useState(false);
  const read = (text: string) => {
    const file = readAnswers(text, questions);
    setFound(file.submissions);
    setProblems(file.problems);
    setOutcomes([]);
  };
  const submit = async () => {
    setBusy(true);
    const done: Outcome[] = [];
    await submitAnswers(examId, found, (outcome) => {
      done.push(outcome);
      setOutcomes([...done]);
    });
    setBusy(false);
    await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
  };
  const refused = outcomes.filter(({ refusal }) => refusal !== null);
  return (
    <Stack maw={800}>
      <Text size="sm">
        {t('exams.typed.help', { labels: questions.map(({ label }) => label).join(', ') })}
      </Text>
      <PasteOrFile action={t('exams.import.read')} problems={problems} onText={read} />
      {found.length > 0 ? (
        <Group justify="space-between">
          <Text role="status">
            {t('exams.typed.found', {
              candidates: found.length,
              answers: found.reduce((sum, { answers }) => sum + answers.length, 0),
            })}
          </Text>
          <Button loading={isBusy} onClick={() => void submit()}>
            {t('exams.typed.submitAll', { count: found.length })}
          </Button>
        </Group>
      ) : null}
      {outcomes.length > 0 ? (
        <>
          <Progress
            value={(100 * outcomes.length) / Math.max(1, found.length)}
            aria-label={t('exams.progress')}
          />
          <Text role="status">
            {t('exams.typed.submitted', { done: outcomes.length - refused.length, refused: refused.length })}
          </Text>
          <List size="sm">
            {refused.map(({ line, external_id, refusal }) => (
              <List.Item key={line}>
                {t('exams.file.line', { line })} ({external_id}): {refusal}
              </List.Item>
            ))}
          </List>
        </>
      ) : null}
    </Stack>
  );
};
