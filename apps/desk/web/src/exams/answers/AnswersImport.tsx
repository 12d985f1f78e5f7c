import { Button, Group, List, Loader, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Question } from '@evaluation/rest-contract/schemas';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { Notice } from '../Notice.tsx';
import { CANDIDATE_HEADINGS } from '../files/candidateFields.ts';
import { ComparisonPreview } from '../files/ComparisonPreview.tsx';
import { PasteOrFile } from '../files/PasteOrFile.tsx';
import { readAnswers, type TypedAnswers } from '../files/readAnswers.ts';
import type { FileProblem } from '../files/problems.ts';
import type { TableSource } from '../files/readTable.ts';
import { useComparison } from '../files/useComparison.ts';
import { submitAnswers, type Outcome } from './submitAnswers.ts';

const NOTHING = { submissions: [], problems: [], decimalCommas: 0 };

export const AnswersImport = ({ examId, questions }: { examId: string; questions: readonly Question[] }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [found, setFound] = useState<readonly TypedAnswers[]>([]);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [decimalCommas, setDecimalCommas] = useState(0);
  const comparison = useComparison();
  const { data: compared } = comparison;
  const [chosen, setChosen] = useState<TableSource | null>(null);
  const read = (source: TableSource | null, leavesOutUnknown = false) => {
    setChosen(source);
    comparison.reset();
    setOutcomes([]);
    const file = source === null ? NOTHING : readAnswers(source, questions, leavesOutUnknown);
    setFound(file.submissions);
    setProblems(file.problems);
    setDecimalCommas(file.decimalCommas);
    if (source !== null && file.problems.length === 0) comparison.mutate(file.submissions);
  };
  /** A second attempt with the same objects submits nothing twice. */
  const lines = useMemo(
    () =>
      (compared?.candidates ?? []).map((candidate, place) => ({
        ...candidate,
        answers: found[place]?.answers ?? [],
      })),
    [compared, found],
  );
  const isRead = compared !== undefined && compared.problems.length === 0;
  const submit = async () => {
    setBusy(true);
    const done: Outcome[] = [];
    await submitAnswers(examId, lines, (outcome) => {
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
      <PasteOrFile
        action={t('exams.import.read')}
        columns={[...CANDIDATE_HEADINGS, ...questions.map(({ label }) => label)]}
        problems={[...problems, ...(compared?.problems ?? [])]}
        onSource={read}
        onLeaveOut={() => read(chosen, true)}
      />
      {comparison.isPending ? <Loader size="sm" aria-label={t('app.loading')} /> : null}
      {isRead ? <ComparisonPreview comparison={compared} /> : null}
      {isRead && decimalCommas > 0 ? (
        <Notice kind="note">{t('exams.typed.decimalCommas', { count: decimalCommas })}</Notice>
      ) : null}
      {isRead && found.length > 0 ? (
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
