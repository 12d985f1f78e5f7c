import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { calls } from '../../app/calls.ts';
import { useText } from '../../app/language.ts';
import { notify, notifyProblem } from '../../app/notices.ts';
import { Page } from '../../app/Page.tsx';
import { BackToExam } from '../BackToExam.tsx';
import { submittable, type ChosenCandidate, type CopyFile } from './copyFile.ts';
import { useHeadings } from './useHeadings.ts';
import type { CopyOfCandidate } from '../types.ts';
import { copyQueueOf } from './copyQueue.ts';
import { DropArea } from './DropArea.tsx';
import { FilesTable } from './FilesTable.tsx';
import { matchFiles, matchNumbers } from './matchFiles.ts';
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

  const open = files.filter(({ candidate, step }) => candidate === null && step !== 'rejected');
  const headings = useHeadings(open);
  // Matches files that have no candidate yet, whenever files, candidates or what was read of the pages change.
  useEffect(() => {
    if (candidates.data === undefined) return;
    const free = freeOf(candidates.data, files);
    const found = matchFiles(
      open.map(({ name }) => name),
      free,
    );
    const choices = new Map<string, ChosenCandidate>();
    const guesses = new Map<string, string | null>();
    for (const { key, name, guess, uploadId } of open) {
      const match = found.get(name);
      const id = match?.id ?? matchNumbers(headings.get(uploadId ?? '') ?? [], free);
      if (match?.isCertain === true) choices.set(key, { id: match.id });
      // A candidate who got another file meanwhile is proposed no more.
      else if (id !== guess) guesses.set(key, id);
    }
    if (choices.size > 0) queue.choose(choices);
    if (guesses.size > 0) queue.guess(guesses);
  }, [files, open, candidates.data, headings, queue]);
  const add = (given: File[]): void => {
    const names = given.map(({ name }) => name);
    const found = matchFiles(names, freeOf(candidates.data ?? [], files));
    const known = new Map(
      given.flatMap((file): [File, ChosenCandidate][] => {
        const match = found.get(file.name);
        return match?.isCertain === true ? [[file, { id: match.id }]] : [];
      }),
    );
    const added = queue.add(given, known);
    if (added < given.length) notify(t('exams.upload.known', { count: given.length - added }));
  };
  const ready = submittable(files);
  const pages = ready.reduce((sum, file) => sum + (file.pages ?? 0), 0);
  const submitted = files.filter(({ step }) => step === 'submitted').length;
  const firstPages = useFirstPages(
    new Map(
      open.flatMap(({ key }): [string, File][] => {
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
          onFiles={add}
        />
        {files.length > 0 ? (
          <>
            <FilesTable
              queue={queue}
              files={files}
              candidates={candidates.data ?? []}
              firstPages={firstPages}
            />
            {open.length === 0 ? null : (
              <Text role="status">{t('exams.upload.unmatched', { count: open.length })}</Text>
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

/** Candidates to whom no file of the list belongs. */
const freeOf = (candidates: readonly CopyOfCandidate[], files: readonly CopyFile[]) => {
  const taken = new Set(
    files.flatMap(({ candidate }) => (candidate !== null && 'id' in candidate ? [candidate.id] : [])),
  );
  return candidates.map(({ candidate }) => candidate).filter(({ id }) => !taken.has(id));
};
