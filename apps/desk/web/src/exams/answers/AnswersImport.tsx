import { Button, FileButton, Group, List, Progress, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Question } from '@evaluation/rest-contract/schemas';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { FileProblems } from '../files/FileProblems.tsx';
import { readAnswers, type TypedAnswers } from '../files/readAnswers.ts';
import type { FileProblem } from '../files/readTable.ts';
import { submitAnswers, type Outcome } from './submitAnswers.ts';

/** Answers of many candidates from a table: read, look at what was found, then submit. */
export const AnswersImport = ({ examId, questions }: { examId: string; questions: readonly Question[] }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const [pasted, setPasted] = useState('');
  const [found, setFound] = useState<readonly TypedAnswers[]>([]);
  const [problems, setProblems] = useState<readonly FileProblem[]>([]);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const [isBusy, setBusy] = useState(false);
  const read = (text: string) => {
    const { submissions, problems: told } = readAnswers(text, questions);
    setFound(submissions);
    setProblems(told);
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
      <Textarea
        label={t('exams.import.paste')}
        autosize
        minRows={4}
        maxRows={12}
        value={pasted}
        onChange={({ currentTarget }) => setPasted(currentTarget.value)}
      />
      <Group>
        <Button variant="default" disabled={pasted.trim() === ''} onClick={() => read(pasted)}>
          {t('exams.import.read')}
        </Button>
        <FileButton
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(file) => {
            if (file !== null) void file.text().then(read);
          }}
        >
          {(props) => (
            <Button variant="default" {...props}>
              {t('exams.import.file')}
            </Button>
          )}
        </FileButton>
      </Group>
      <FileProblems problems={problems} />
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
