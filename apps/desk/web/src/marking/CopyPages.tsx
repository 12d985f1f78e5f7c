import { Alert, Button, Group, Loader, NativeSelect, Text } from '@mantine/core';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useCallback, useEffect, useState } from 'react';
import { TransformComponent, TransformWrapper, useControls } from 'react-zoom-pan-pinch';
import { useText } from '../app/language.ts';
import { useActionKeys } from './keys.ts';
import { loadPdf } from './loadPdf.ts';
import { pageOfAnswer } from './pageOfAnswer.ts';
import { PageMarks } from './PageMarks.tsx';
import { PdfPage } from './PdfPage.tsx';
import type { Screen } from './types.ts';

export const CopyPages = ({
  screen,
  copy,
  chosen,
  criterion,
}: {
  screen: Screen;
  copy: NonNullable<Screen['copy']>;
  chosen: string;
  criterion: number | null;
}) => {
  const t = useText();
  const [document, setDocument] = useState<PDFDocumentProxy | null>(null);
  const [problem, setProblem] = useState(false);
  const [page, setPage] = useState(1);
  const [turns, setTurns] = useState(0);
  const onProblem = useCallback(() => setProblem(true), []);
  const { submission_id: submissionId } = screen;

  useEffect(() => {
    let isOver = false;
    setDocument(null);
    setProblem(false);
    loadPdf(submissionId, copy.url).then(
      (loaded) => {
        if (!isOver) setDocument(loaded);
      },
      () => {
        if (!isOver) setProblem(true);
      },
    );
    return () => {
      isOver = true;
    };
    // A new address of the same copy is no reason to load it again.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [submissionId]);

  const wanted = pageOfAnswer(screen, chosen, criterion);
  useEffect(() => {
    if (wanted !== undefined) setPage(wanted);
  }, [wanted, chosen, submissionId]);

  const last = document?.numPages ?? copy.pages;
  const show = (number: number): void => setPage(Math.min(Math.max(number, 1), Math.max(last, 1)));
  useActionKeys({ nextPage: () => show(page + 1), previousPage: () => show(page - 1) });

  return (
    <TransformWrapper minScale={0.5} maxScale={6} wheel={{ activationKeys: ['Control'] }}>
      <Group gap="xs">
        <Button size="compact-sm" variant="default" disabled={page <= 1} onClick={() => show(page - 1)}>
          {t('marking.page.previous')}
        </Button>
        <NativeSelect
          size="xs"
          aria-label={t('marking.page.choose')}
          value={page}
          onChange={(event) => show(Number(event.currentTarget.value))}
          data={Array.from({ length: Math.max(last, 1) }, (_, index) => ({
            value: String(index + 1),
            label: t('marking.page.of', { page: index + 1, pages: last }),
          }))}
        />
        <Button size="compact-sm" variant="default" disabled={page >= last} onClick={() => show(page + 1)}>
          {t('marking.page.next')}
        </Button>
        <ZoomButtons onRotate={() => setTurns((turned) => (turned + 1) % 4)} />
      </Group>
      <div className="marking-paper">
        {problem ? (
          <Alert variant="default" role="alert" m="md">
            {t('marking.page.broken')}
          </Alert>
        ) : document === null ? (
          <Group p="md">
            <Loader size="sm" />
            <Text>{t('app.loading')}</Text>
          </Group>
        ) : (
          <TransformComponent
            wrapperStyle={{ width: '100%', height: '100%' }}
            contentStyle={{ width: '100%' }}
          >
            <div className="marking-sheet" style={{ transform: `rotate(${turns * 90}deg)` }}>
              <PdfPage document={document} page={page} onProblem={onProblem} />
              <PageMarks page={page} questions={screen.questions} chosen={chosen} criterion={criterion} />
            </div>
          </TransformComponent>
        )}
      </div>
    </TransformWrapper>
  );
};

const ZoomButtons = ({ onRotate }: { onRotate: () => void }) => {
  const t = useText();
  const { zoomIn, zoomOut, resetTransform } = useControls();
  useActionKeys({ zoomIn: () => void zoomIn(), zoomOut: () => void zoomOut() });
  const buttons: readonly [string, string, () => void][] = [
    ['+', t('marking.page.zoomIn'), () => void zoomIn()],
    ['−', t('marking.page.zoomOut'), () => void zoomOut()],
    ['⤢', t('marking.page.zoomReset'), () => void resetTransform()],
    ['⟳', t('marking.page.rotate'), onRotate],
  ];
  return (
    <>
      {buttons.map(([sign, label, act]) => (
        <Button key={sign} size="compact-sm" variant="default" aria-label={label} onClick={act}>
          {sign}
        </Button>
      ))}
    </>
  );
};
