import { Button, Checkbox, Group, Radio, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AnswerInput, Question } from '@evaluation/rest-contract/schemas';
import { calls, client, withKey } from '../../app/calls.ts';
import { failureIn, textOfError } from '../../app/failures.ts';
import { useText } from '../../app/language.ts';
import { notify } from '../../app/notices.ts';
import { newKeys } from '../../app/newKey.ts';
import { candidateName, useCandidates } from '../copies/useCandidates.ts';

export const AnswerForm = ({ examId, questions }: { examId: string; questions: readonly Question[] }) => {
  const t = useText();
  const queryClient = useQueryClient();
  const candidates = useCandidates(examId);
  const [candidateId, setCandidateId] = useState<string | null>(null);
  const [answers, setAnswers] = useState<Readonly<Record<string, AnswerInput>>>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [canReplace, setCanReplace] = useState(false);
  const [keyOf, setKeyOf] = useState(newKeys);

  const set = (id: string, part: Omit<AnswerInput, 'question_id'>) =>
    setAnswers((before) => ({ ...before, [id]: { question_id: id, ...part } }));
  const submit = useMutation({
    mutationFn: (replace: boolean) => {
      const body = {
        candidate_id: candidateId,
        answers: Object.values(answers),
        ...(replace ? { replace } : {}),
      };
      return client.submissions.create.mutate({ exam_id: examId, body }, { context: withKey(keyOf(body)) });
    },
    onSuccess: async () => {
      setKeyOf(newKeys);
      setAnswers({});
      setCandidateId(null);
      setProblem(null);
      setCanReplace(false);
      notify(t('exams.typed.done'));
      await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
    },
    onError: (error) => {
      const failure = failureIn(error);
      // If core did not answer, it may have accepted the answers: a repetition keeps the key, so that it has no second
      // effect.
      if (failure !== null) setKeyOf(newKeys);
      setProblem(textOfError(error));
      setCanReplace(failure?.code === 'submission_exists');
    },
  });
  const choices = (candidates.data ?? []).map((copy) => ({
    value: copy.candidate.id,
    label: candidateName(copy),
  }));
  return (
    <Stack maw={800}>
      <Select
        label={t('exams.candidate')}
        description={choices.length === 0 ? t('exams.typed.noCandidates') : undefined}
        data={choices}
        value={candidateId}
        onChange={setCandidateId}
        searchable
        limit={50}
        required
      />
      {questions.map((question) => (
        <AnswerField
          key={question.id}
          question={question}
          answer={answers[question.id]}
          onChange={(part) => set(question.id, part)}
        />
      ))}
      {problem === null ? null : (
        <Text role="alert" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
      <Group justify="end">
        {canReplace ? (
          <Button variant="default" loading={submit.isPending} onClick={() => submit.mutate(true)}>
            {t('exams.upload.replace')}
          </Button>
        ) : null}
        <Button
          disabled={candidateId === null}
          loading={submit.isPending}
          onClick={() => submit.mutate(false)}
        >
          {t('exams.typed.submit')}
        </Button>
      </Group>
    </Stack>
  );
};

const AnswerField = ({
  question,
  answer,
  onChange,
}: {
  question: Question;
  answer: AnswerInput | undefined;
  onChange: (part: Omit<AnswerInput, 'question_id'>) => void;
}) => {
  const label = `${question.label}. ${question.text}`;
  const options = question.options ?? [];
  const chosen = answer?.option_labels ?? [];
  if (question.type === 'mcq_multi')
    return (
      <Checkbox.Group
        label={label}
        value={[...chosen]}
        onChange={(option_labels) => onChange({ option_labels })}
      >
        <Group mt="xs">
          {options.map((option) => (
            <Checkbox key={option.label} value={option.label} label={`${option.label} ${option.text}`} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  if (options.length > 0)
    return (
      <Radio.Group
        label={label}
        value={chosen[0] ?? null}
        onChange={(value) => onChange({ option_labels: [value] })}
      >
        <Group mt="xs">
          {options.map((option) => (
            <Radio key={option.label} value={option.label} label={`${option.label} ${option.text}`} />
          ))}
        </Group>
      </Radio.Group>
    );
  const text = {
    label,
    value: answer?.text ?? '',
    maxLength: 20_000,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onChange({ text: currentTarget.value }),
  };
  return question.type === 'long_answer' ? (
    <Textarea {...text} autosize minRows={3} />
  ) : (
    <TextInput {...text} />
  );
};
