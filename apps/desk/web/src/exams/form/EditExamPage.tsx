import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { inferRouterOutputs } from '@trpc/server';
import { Suspense, useMemo, useState } from 'react';
import type { PublicRouter } from '@evaluation/core-client';
import { calls, client, withKey } from '../../app/calls.ts';
import { failureIn } from '../../app/failures.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyError } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { useStaff } from '../../app/session.ts';
import { newKeys } from '../../app/newKey.ts';
import { ChangedByOther } from './ChangedByOther.tsx';
import type { ExamDraft } from './draft.ts';
import { ExamForm } from './ExamForm.tsx';
import { KeptNotice } from './KeptNotice.tsx';
import { formKey, readForm, useFormKeeping } from './keptForm.ts';
import { mergeDrafts, type ChangedPart } from './mergeDrafts.ts';
import { problemsInError } from './problems.ts';
import { savedBody } from './requests.ts';
import { draftOfStored } from './stored.ts';
import { useExamDraft } from './useExamDraft.ts';

export const EditExamPage = () => {
  const t = useText();
  return (
    <Suspense fallback={<Page title={t('app.loading')}>{null}</Page>}>
      <StoredExam />
    </Suspense>
  );
};

const StoredExam = () => {
  const { id: examId = '' } = useParams({ strict: false });
  const form = useSuspenseQuery({
    ...calls.desk.exams.form.queryOptions({ exam_id: examId }),
    // Not read again while the teacher types.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return <EditForm key={examId} form={form.data} />;
};

type StoredForm = inferRouterOutputs<PublicRouter>['desk']['exams']['form'];

/**
 * The whole form is saved in one call with the revision that it started from. If another person has changed the exam,
 * nothing is saved: the form takes over the changes of that person and lists them, and the teacher saves again.
 */
const EditForm = ({ form }: { form: StoredForm }) => {
  const t = useText();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [stored, setStored] = useState(() => ({ form, draft: draftOfStored(form) }));
  // A kept form may have begun with an exam that another person has changed since.
  const key = formKey(useStaff().id, form.exam.id);
  const [restored] = useState(() => {
    const kept = readForm(key);
    if (kept === null || kept.from === null) return null;
    return kept.from.revision === form.revision
      ? { draft: kept.draft, changed: null }
      : mergeDrafts(kept.from.draft, kept.draft, stored.draft);
  });
  const { draft, problems, refusals, change, refuse } = useExamDraft(restored?.draft ?? stored.draft);
  const [isRestored, setRestored] = useState(restored !== null);
  const [changed, setChanged] = useState<readonly ChangedPart[] | null>(restored?.changed ?? null);
  const from = useMemo(() => ({ draft: stored.draft, revision: stored.form.revision }), [stored]);
  const forget = useFormKeeping(key, draft, from, stored.draft);
  const [keyOf] = useState(newKeys);
  const { exam, revision } = stored.form;
  const isDraft = exam.status === 'draft';

  /** @returns false if no other person has changed the exam */
  const takeOver = async (): Promise<boolean> => {
    const now = await client.desk.exams.form.query({ exam_id: exam.id });
    if (now.revision === revision) return false;
    const theirs = draftOfStored(now);
    setStored({ form: now, draft: theirs });
    // The teacher may have typed during the calls.
    change((mine) => mergeDrafts(stored.draft, mine, theirs).draft);
    setChanged(mergeDrafts(stored.draft, draft, theirs).changed);
    return true;
  };
  const save = useMutation({
    mutationFn: (sent: ExamDraft) => {
      const request = {
        exam_id: exam.id,
        seen: revision,
        body: savedBody(sent, { draft: stored.draft, questions: stored.form.questions }),
      };
      return client.desk.exams.save.mutate(request, { context: withKey(keyOf(request)) });
    },
    onSuccess: async () => {
      forget();
      await queryClient.invalidateQueries();
      notify(t('exams.saved'));
      await navigate({ to: `/exams/${exam.id}` });
    },
    onError: async (error, sent) => {
      const found = problemsInError(error, sent);
      refuse(found, sent);
      if (found.size > 0) return;
      try {
        if (failureIn(error)?.code === 'conflict' && (await takeOver())) return;
      } catch {
        // The exam cannot be read either. The page shows the first error.
      }
      notifyError(error);
    },
  });
  return (
    <Page title={t('exams.editTitle', { title: exam.title })}>
      <ChangedByOther places={changed} />
      {isRestored ? (
        <KeptNotice
          onDiscard={() => {
            change(() => stored.draft);
            setRestored(false);
            setChanged(null);
          }}
        />
      ) : null}
      <ExamForm
        draft={draft}
        problems={problems}
        refusals={refusals}
        warnings={exam.warnings}
        isDraft={isDraft}
        onChange={change}
        actions={
          <>
            <Button component={Link} to={`/exams/${exam.id}`} variant="default">
              {t('app.cancel')}
            </Button>
            <Button loading={save.isPending} onClick={() => save.mutate(draft)}>
              {t('app.save')}
            </Button>
          </>
        }
      />
    </Page>
  );
};
