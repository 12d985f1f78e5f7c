import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { wrap } from 'comlink';
import { useText } from '../app/language.ts';
import { notifyProblem } from '../app/notices.ts';
import type { MergeWorker } from './merge.worker.ts';

/** Largest ZIP file whose copies the browser joins; joining takes some times its size of memory. */
const LARGEST_BYTES = 200_000_000;

/** Saves all checked copies as one PDF, to print them at once. */
export const OnePdf = ({ examId, title }: { examId: string; title: string }) => {
  const t = useText();
  const save = useMutation({
    mutationFn: async () => {
      const answer = await fetch(`/downloads/exams/${examId}/checked-copies.zip`);
      if (!answer.ok) throw new Error(`the download was answered ${answer.status}`);
      const zip = await answer.blob();
      if (zip.size > LARGEST_BYTES) return notifyProblem(t('deciding.return.tooLarge'));
      const worker = new Worker(new URL('merge.worker.ts', import.meta.url), { type: 'module' });
      try {
        const { file, copies, isIncomplete } = await wrap<MergeWorker>(worker).merge(zip);
        if (copies > 0) saveAs(file, `${title}.pdf`);
        if (copies === 0 || isIncomplete) notifyProblem(t('deciding.return.incomplete', { count: copies }));
      } finally {
        worker.terminate();
      }
    },
    onError: () => notifyProblem(t('deciding.return.notMerged')),
  });
  return (
    <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
      {t('deciding.return.onePdf')}
    </Button>
  );
};

const saveAs = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name.replaceAll(/[/\\:*?"<>|]/g, '-');
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};
