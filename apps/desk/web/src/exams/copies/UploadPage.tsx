import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyProblem } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { BackToExam } from '../BackToExam.tsx';
import { submittable, type ChosenCandidate } from './copyFile.ts';
import { copyQueueOf } from './copyQueue.ts';
import { DropArea } from './DropArea.tsx';
import { FilesTable } from './FilesTable.tsx';
import { matchFiles } from './matchFiles.ts';
import { useFirstPages } from '../paper/useFirstPages.ts';
import { Quote } from './Quote.tsx';
import { useCandidates } from './useCandidates.ts';

export const UploadPage = () => {
  const t = useText();
  const { id: examId = '' } = useParams({ strict: false });
  const queryClient = useQueryClient();
  const exam = useQuery(calls.desk.exams.overview.queryOptions({ exam_id: examId }));
  const candidates = useCandidates(examId);
  const queue = copyQueueOf(examId);
  const files = useSyncExternalStore(queue.subscribe, queue.files);
  const [isBusy, setBusy] = useState(false);
  const submittedText = useRef<HTMLParagraphElement>(null);

  // Matches files that have no candidate yet, whenever files or candidates change.
  useEffect(() => {
    if (candidates.data === undefined) return;
    const open = files.filter(({ candidate, step }) => candidate === null && step !== 'rejected');
    const taken = new Set(
      files.flatMap(({ candidate }) => (candidate !== null && 'id' in candidate ? [candidate.id] : [])),
    );
    const free = candidates.data.map(({ candidate }) => candidate).filter(({ id }) => !taken.has(id));
    const found = matchFiles(
      open.map(({ name }) => name),
      free,
    );
    const choices = new Map<string, ChosenCandidate>();
    const guesses = new Map<string, string>();
    for (const { key, name, guess } of open) {
      const match = found.get(name);
      if (match?.isCertain === true) choices.set(key, { id: match.id });
      else if (match !== undefined && match.id !== guess) guesses.set(key, match.id);
    }
    if (choices.size > 0) queue.choose(choices);
    if (guesses.size > 0) queue.guess(guesses);
  }, [files, candidates.data, queue]);
  const ready = submittable(files);
  const pages = ready.reduce((sum, file) => sum + (file.pages ?? 0), 0);
  const submitted = files.filter(({ step }) => step === 'submitted').length;
  const unmatched = files.filter(({ step, candidate }) => step !== 'rejected' && candidate === null);
  const firstPages = useFirstPages(
    new Map(
      unmatched.flatMap(({ key }): [string, File][] => {
        const content = queue.contentOf(key);
        return content === undefined ? [] : [[key, content]];
      }),
    ),
  );
  const submit = async () => {
    setBusy(true);
    await queue.submit();
    setBusy(false);
    await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
    const refused = queue.files().filter(({ step }) => step === 'refused').length;
    if (refused === 0) notify(t('exams.upload.submittedNow'));
    else notifyProblem(t('exams.upload.someRefused', { count: refused }));
    // The button loses the focus while it is disabled.
    submittedText.current?.focus();
  };
  return (
    <Page
      title={t('exams.upload.title', { title: exam.data?.title ?? '' })}
      actions={<BackToExam examId={examId} />}
    >
      <Stack>
        <Text>
          {t('exams.upload.help')}{' '}
          <Anchor component={Link} to={`/exams/${examId}/stack`} underline="always">
            {t('exams.stack.open')}
          </Anchor>
        </Text>
        <DropArea
          drop={t('exams.upload.drop')}
          help={t('exams.upload.dropHelp')}
          choose={t('exams.upload.choose')}
          onFiles={(given) => {
            const added = queue.add(given);
            if (added < given.length) notify(t('exams.upload.known', { count: given.length - added }));
          }}
        />
        {files.length > 0 ? (
          <>
            <FilesTable
              queue={queue}
              files={files}
              candidates={candidates.data ?? []}
              firstPages={firstPages}
            />
            {unmatched.length === 0 ? null : (
              <Text role="status">{t('exams.upload.unmatched', { count: unmatched.length })}</Text>
            )}
            <Group justify="space-between">
              <Quote pages={pages} copies={ready.length} />
              <Button disabled={ready.length === 0} loading={isBusy} onClick={() => void submit()}>
                {t('exams.upload.submit', { count: ready.length })}
              </Button>
            </Group>
          </>
        ) : null}
        {submitted > 0 ? (
          <Text role="status" ref={submittedText} tabIndex={-1}>
            {t('exams.upload.submitted', { count: submitted })}{' '}
            <Anchor component={Link} to={`/exams/${examId}`}>
              {t('exams.upload.watch')}
            </Anchor>
          </Text>
        ) : null}
      </Stack>
    </Page>
  );
};
