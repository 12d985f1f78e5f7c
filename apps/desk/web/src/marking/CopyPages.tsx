import { Alert, Anchor, Button, Group, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { TransformComponent, TransformWrapper, useControls } from 'react-zoom-pan-pinch';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import { useActionKeys } from './keys.ts';
import { pageOfAnswer } from './pageOfAnswer.ts';
import { PageMarks } from './PageMarks.tsx';
import { PagePicture } from './PagePicture.tsx';
import type { Screen } from './types.ts';

/** Loads of a page, each with a new address, after which the page counts as broken. */
const MOST_ATTEMPTS = 2;

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
  const queryClient = useQueryClient();
  const [page, setPage] = useState(1);
  const [turns, setTurns] = useState(0);
  const { submission_id: submissionId } = screen;
  const place = `${submissionId} ${page}`;
  const [failed, setFailed] = useState({ place, times: 0 });
  const attempt = failed.place === place ? failed.times : 0;
  const onProblem = useCallback(() => {
    // A change of marks has replaced the file: the screen has the address of the new one.
    const { queryKey } = calls.desk.marking.screen.queryOptions({ submission_id: submissionId });
    const count = (before: typeof failed) => ({
      place,
      times: before.place === place ? before.times + 1 : 1,
    });
    void queryClient.invalidateQueries({ queryKey }).then(() => setFailed(count));
  }, [queryClient, submissionId, place]);

  const wanted = pageOfAnswer(screen, chosen, criterion);
  useEffect(() => {
    if (wanted !== undefined) setPage(wanted);
  }, [wanted, chosen, submissionId]);

  const { pictures } = copy;
  const last = pictures?.pages.length ?? copy.pages;
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
      {pictures?.pages[page - 1]?.drawn === false ? (
        <Alert variant="default" color="orange" role="status" p="xs">
          {t('marking.page.notDrawn')}
        </Alert>
      ) : null}
      {copy.stray.some((region) => region.page === page) ? (
        <Alert variant="default" color="orange" role="status" p="xs">
          {t('marking.page.stray')}
        </Alert>
      ) : null}
      <div className="marking-paper">
        {pictures === null || attempt > MOST_ATTEMPTS ? (
          <Alert variant="default" role="alert" m="md">
            {t(pictures === null ? 'marking.page.notYet' : 'marking.page.broken')}
          </Alert>
        ) : (
          <TransformComponent
            wrapperStyle={{ width: '100%', height: '100%' }}
            contentStyle={{ width: '100%' }}
          >
            <div className="marking-sheet" style={{ transform: `rotate(${turns * 90}deg)` }}>
              <PagePicture
                key={submissionId}
                submissionId={submissionId}
                pictures={pictures}
                page={page}
                attempt={attempt}
                onProblem={onProblem}
              />
              <PageMarks
                page={page}
                questions={screen.questions}
                stray={copy.stray}
                chosen={chosen}
                criterion={criterion}
              />
            </div>
          </TransformComponent>
        )}
        <Anchor
          className="marking-original"
          size="sm"
          href={copy.original_url}
          target="_blank"
          rel="noreferrer"
          title={t('marking.page.original.note')}
        >
          {t('marking.page.original')}
        </Anchor>
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
