import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { notify } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { BackToExam } from '../BackToExam.tsx';
import { submittable, type ChosenCandidate } from './copyFile.ts';
import { copyQueueOf } from './copyQueue.ts';
import { DropArea } from './DropArea.tsx';
import { FilesTable } from './FilesTable.tsx';
import { matchFiles } from './matchFiles.ts';
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
    if (open.length === 0) return;
    const taken = new Set(
      files.flatMap(({ candidate }) => (candidate !== null && 'id' in candidate ? [candidate.id] : [])),
    );
    const free = candidates.data.map(({ candidate }) => candidate).filter(({ id }) => !taken.has(id));
    const found = matchFiles(
      open.map(({ name }) => name),
      free,
    );
    const choices = new Map<string, ChosenCandidate>();
    for (const { key, name } of open) {
      const id = found.get(name);
      if (id !== undefined) choices.set(key, { id });
    }
    if (choices.size > 0) queue.choose(choices);
  }, [files, candidates.data, queue]);

  const ready = submittable(files);
  const pages = ready.reduce((sum, file) => sum + (file.pages ?? 0), 0);
  const submitted = files.filter(({ step }) => step === 'submitted').length;
  const submit = async () => {
    setBusy(true);
    await queue.submit();
    setBusy(false);
    await queryClient.invalidateQueries({ queryKey: calls.desk.exams.pathKey() });
    notify(t('exams.upload.submittedNow'));
    // The button loses the focus while it is disabled.
    submittedText.current?.focus();
  };
  return (
    <Page
      title={t('exams.upload.title', { title: exam.data?.title ?? '' })}
      actions={<BackToExam examId={examId} />}
    >
      <Stack>
        <Text>{t('exams.upload.help')}</Text>
        <DropArea
          onFiles={(given) => {
            const added = queue.add(given);
            if (added < given.length) notify(t('exams.upload.known', { count: given.length - added }));
          }}
        />
        {files.length > 0 ? (
          <>
            <FilesTable queue={queue} files={files} candidates={candidates.data ?? []} />
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
