import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { calls, client, withKey } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyError } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { useStaff } from '../../app/session.ts';
import { newKeys } from '../../app/newKey.ts';
import { emptyExam, type ExamDraft } from './draft.ts';
import { ExamForm } from './ExamForm.tsx';
import { KeptNotice } from './KeptNotice.tsx';
import { formKey, readForm, useFormKeeping } from './keptForm.ts';
import { problemsInError } from './problems.ts';
import { examBody } from './requests.ts';
import { useExamDraft } from './useExamDraft.ts';

export const NewExamPage = () => {
  const t = useText();
  // Without an answer the form has the defaults of the API.
  const settings = useQuery({
    ...calls.desk.settings.show.queryOptions(),
    retry: false,
    // Read once for each form, because a second read would reset what the teacher has typed.
    gcTime: 0,
    staleTime: Infinity,
  });
  if (settings.isPending) return <Page title={t('exams.new')}>{null}</Page>;
  return <NewExamForm blind={settings.data?.blind ?? false} />;
};

const NewExamForm = ({ blind }: { blind: boolean }) => {
  const t = useText();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [empty] = useState(() => emptyExam(blind));
  const key = formKey(useStaff().id, 'new');
  const [kept] = useState(() => readForm(key));
  const { draft, problems, refusals, change, refuse } = useExamDraft(kept?.draft ?? empty);
  const [isRestored, setRestored] = useState(kept !== null);
  const forget = useFormKeeping(key, draft, null, empty);
  const [keyOf] = useState(newKeys);
  const create = useMutation({
    mutationFn: ({ sent, open }: { sent: ExamDraft; open: boolean }) => {
      const body = examBody(sent, { open });
      return client.exams.create.mutate({ body }, { context: withKey(keyOf(body)) });
    },
    onSuccess: async (exam, { open }) => {
      forget();
      await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
      notify(t(open ? 'exams.opened' : 'exams.saved'));
      await navigate({ to: `/exams/${exam.id}` });
    },
    onError: (error, { sent }) => {
      const found = problemsInError(error, sent);
      refuse(found, sent);
      if (found.size === 0) notifyError(error);
    },
  });
  return (
    <Page title={t('exams.new')}>
      {isRestored ? (
        <KeptNotice
          onDiscard={() => {
            change(() => empty);
            setRestored(false);
          }}
        />
      ) : null}
      <ExamForm
        draft={draft}
        problems={problems}
        refusals={refusals}
        isDraft
        onChange={change}
        actions={
          <>
            <Button
              variant="default"
              loading={create.isPending}
              onClick={() => create.mutate({ sent: draft, open: false })}
            >
              {t('exams.form.saveDraft')}
            </Button>
            <Button loading={create.isPending} onClick={() => create.mutate({ sent: draft, open: true })}>
              {t('exams.form.createAndOpen')}
            </Button>
          </>
        }
      />
    </Page>
  );
};
