import { Button, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { CandidateInput } from '@evaluation/rest-contract/schemas';
import { calls, client, withKey } from '../../app/calls.ts';
import { failureIn } from '../../app/failures.ts';
import { problemsIn } from '../../app/fieldProblems.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyError } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { Section } from '../../app/Section.tsx';
import { BackToExam } from '../BackToExam.tsx';
import { NO_PROBLEMS } from '../form/problems.ts';
import { newKey } from '../../app/newKey.ts';
import { CandidatesImport } from './CandidatesImport.tsx';
import { CandidatesTable } from './CandidatesTable.tsx';

const FIELDS = ['external_id', 'name', 'roll_number', 'section_or_class'] as const;
const LONGEST = { external_id: 128, name: 255, roll_number: 64, section_or_class: 64 } as const;

export const CandidatesPage = () => {
  const t = useText();
  const { id: examId = '' } = useParams({ strict: false });
  const queryClient = useQueryClient();
  const exam = useQuery(calls.desk.exams.overview.queryOptions({ exam_id: examId }));
  const [problems, setProblems] = useState(NO_PROBLEMS);

  const register = useMutation({
    mutationFn: (candidates: CandidateInput[]) =>
      client.candidates.register.mutate(
        { exam_id: examId, body: { candidates } },
        { context: withKey(newKey()) },
      ),
    onSuccess: async ({ registered, already_registered }) => {
      setProblems(NO_PROBLEMS);
      await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
      notify(t('exams.candidates.done', { registered, known: already_registered }));
    },
    // The form and the table show their problems themselves.
    onError: () => {},
  });
  const addOne = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const sent = new FormData(form);
    const given = FIELDS.map((field): [string, string] => {
      const value = sent.get(field);
      return [field, typeof value === 'string' ? value.trim() : ''];
    });
    const { external_id = '', ...rest } = Object.fromEntries(given.filter(([, value]) => value !== ''));
    register.mutate([{ external_id, ...rest }], {
      onSuccess: () => form.reset(),
      onError: (error) => {
        const found = problemsIn(failureIn(error)?.details);
        setProblems(found);
        if (found.size === 0) notifyError(error);
      },
    });
  };
  const problemOf = (field: string) => problems.get(`candidates[0].${field}`);
  return (
    <Page
      title={t('exams.candidates.title', { title: exam.data?.title ?? '' })}
      actions={<BackToExam examId={examId} />}
    >
      <Stack>
        <form onSubmit={addOne}>
          <Fieldset legend={t('exams.candidates.one')}>
            <Group align="end">
              {FIELDS.map((field) => (
                <TextInput
                  key={field}
                  name={field}
                  label={t(`exams.candidates.${field}`)}
                  required={field === 'external_id'}
                  maxLength={LONGEST[field]}
                  error={problemOf(field)}
                  autoComplete="off"
                />
              ))}
              <Button type="submit" loading={register.isPending}>
                {t('exams.candidates.add')}
              </Button>
            </Group>
          </Fieldset>
        </form>
        <CandidatesImport onRegister={register.mutateAsync} />
        <Section
          id="registered"
          title={t('exams.candidates.registered', { count: exam.data?.candidates ?? 0 })}
        >
          <CandidatesTable examId={examId} />
        </Section>
      </Stack>
    </Page>
  );
};
