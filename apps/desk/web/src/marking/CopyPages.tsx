import { Alert, Anchor, Button, Group, NativeSelect } from '@mantine/core';
import { useLocalStorage, useSessionStorage } from '@mantine/hooks';
import { shownAnnotations, withTeacherSigns, type ShownAnnotation } from '@evaluation/rules/marked-page';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useText } from '../app/language.ts';
import { answerPlace } from './pageOfAnswer.ts';
import { InkTools, type Tool } from './InkTools.tsx';
import { useActionKeys } from './keys.ts';
import { PageSheet } from './PageSheet.tsx';
import { pointOn, sheetBoxes, type Turns, type Zoom } from './sheets.ts';
import type { Screen } from './types.ts';
import type { PagePoint } from './useGesture.ts';
import { useInk } from './useInk.ts';
import { enlarged, usePane, useScroll } from './usePane.ts';

const STEP = 1.25;
/** Frames in which the pages are moved to a new answer. */
const FRAMES = 6;
const A4_RATIO = 1.414;
/** Distance between a mark that a key draws beside the answer and the answer, as a share of the page. */
const BESIDE = 0.025;

/** The pages of the copy, one below the other, with what the AI and teachers drew on them. */
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
  const { pictures } = copy;
  const [zoom, setZoom] = useLocalStorage<Zoom>({
    key: 'evaluation-desk-zoom',
    defaultValue: { fit: 'width', factor: 1 },
    getInitialValueInEffect: false,
  });
  const [hidesMarks, setHidesMarks] = useLocalStorage({
    key: 'evaluation-desk-hides-marks',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const [turned, setTurned] = useSessionStorage<Readonly<Record<string, Turns>>>({
    key: 'evaluation-desk-turns',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const turns = turned[screen.submission_id] ?? 0;
  const [tool, setTool] = useState<Tool | null>(null);
  const [text, setText] = useState<{ page: number; at: PagePoint } | null>(null);
  const pointer = useRef<{ page: number; at: PagePoint } | null>(null);
  const ink = useInk(screen);

  const pane = usePane();
  const hasColumn = !hidesMarks;
  const ratios = useMemo(() => ratiosOf(pictures?.pages ?? []), [pictures?.pages]);
  const { width, height } = pane.size;
  const boxes = useMemo(
    () => sheetBoxes(ratios, { width, height }, zoom, { turns, hasColumn }),
    [ratios, width, height, zoom, turns, hasColumn],
  );
  const zoomBy = useCallback((by: number) => setZoom((before) => enlarged(before, by)), [setZoom]);
  const scroll = useScroll(pane, boxes, zoomBy);

  const removed = ink.strokes.map((stroke) => stroke.ink).filter(({ kind }) => kind === 'removed');
  const annotations = useMemo(
    () => annotationsOf(screen, removed),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the removals are a new list on each drawing
    [screen, JSON.stringify(removed)],
  );
  const total = useMemo(() => {
    const write = (marks: number): string => String(Number(marks.toFixed(2)));
    return { awarded: write(screen.totals.awarded), max: write(screen.totals.max) };
  }, [screen.totals.awarded, screen.totals.max]);
  const place = answerPlace(screen, annotations, chosen, criterion);

  const moveToAnswer = (): void => {
    const box = boxes[(place?.page ?? 0) - 1];
    const ratio = ratios[(place?.page ?? 0) - 1];
    if (place === null || box === undefined || ratio === undefined) return;
    const { x, y, width: w, height: h } = place.box;
    const shown = { turns, hasColumn };
    const [one, other] = [pointOn(box, ratio, shown, [x, y]), pointOn(box, ratio, shown, [x + w, y + h])];
    scroll.reveal({
      from: { x: Math.min(one.x, other.x), y: Math.min(one.y, other.y) },
      to: { x: Math.max(one.x, other.x), y: Math.max(one.y, other.y) },
    });
  };
  const newest = useRef(moveToAnswer);
  useLayoutEffect(() => {
    newest.current = moveToAnswer;
  });
  // Once for each answer and criterion, as soon as the pane has a size.
  const isReady = place !== null && width > 0 && ratios.length > 0;
  const wanted = isReady ? `${screen.submission_id} ${chosen} ${criterion ?? ''}` : null;
  useEffect(() => {
    if (wanted === null) return undefined;
    // For some frames: the router gives the pane the position of the page before, and its size may still change.
    let frame = 0;
    const move = (left: number): void => {
      newest.current();
      if (left > 0) frame = requestAnimationFrame(() => move(left - 1));
    };
    frame = requestAnimationFrame(() => move(FRAMES));
    return () => cancelAnimationFrame(frame);
  }, [wanted]);

  const last = pictures?.pages.length ?? copy.pages;
  const { page } = scroll;
  const show = (number: number): void =>
    scroll.scrollToPage(Math.min(Math.max(number, 1), Math.max(last, 1)));
  const fit = (to: Zoom['fit']): void => setZoom({ fit: to, factor: 1 });
  useActionKeys({
    nextPage: () => show(page + 1),
    previousPage: () => show(page - 1),
    zoomIn: () => zoomBy(STEP),
    zoomOut: () => zoomBy(1 / STEP),
    hideMarks: () => setHidesMarks(!hidesMarks),
  });

  const isClosed =
    pictures === null || screen.finalized || !['graded', 'partially_graded'].includes(screen.status);
  const stampAt = (kind: 'tick' | 'cross' | 'text', at: { page: number; at: PagePoint }): void => {
    setHidesMarks(false);
    if (kind === 'text') setText(at);
    else ink.add({ kind, ...at });
  };
  const stamp = (kind: 'tick' | 'cross' | 'text'): void => {
    const beside =
      place === null ? null : { page: place.page, at: besideAnswer(place.box, place.page, ink.strokes) };
    const at = pointer.current ?? beside;
    if (at === null) setTool(kind);
    else stampAt(kind, at);
  };
  const remove = ({ questionId, page: on, kind, box }: ShownAnnotation): void =>
    ink.add({ kind: 'removed', page: on, question_id: questionId, annotation: kind, at: [box.x, box.y] });
  const question = screen.questions.find(({ result }) => result.question_id === chosen);
  const buttons: readonly [string, string, () => void][] = [
    ['+', t('marking.page.zoomIn'), () => zoomBy(STEP)],
    ['−', t('marking.page.zoomOut'), () => zoomBy(1 / STEP)],
    ['↔', t('marking.page.fitWidth'), () => fit('width')],
    ['↕', t('marking.page.fitPage'), () => fit('page')],
    ['⟳', t('marking.page.rotate'), () => setTurned({ ...turned, [screen.submission_id]: TURNED[turns] })],
    ['◐', t('marking.page.hideMarks'), () => setHidesMarks(!hidesMarks)],
  ];

  return (
    <>
      <Group gap={4}>
        <Button
          size="compact-sm"
          variant="default"
          disabled={page <= 1}
          aria-label={t('marking.page.previous')}
          onClick={() => show(page - 1)}
        >
          ▲
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
        <Button
          size="compact-sm"
          variant="default"
          disabled={page >= last}
          aria-label={t('marking.page.next')}
          onClick={() => show(page + 1)}
        >
          ▼
        </Button>
        {buttons.map(([sign, label, act]) => (
          <Button
            key={sign}
            size="compact-sm"
            variant="default"
            aria-label={label}
            title={label}
            onClick={act}
          >
            {sign}
          </Button>
        ))}
        <Anchor
          size="sm"
          href={copy.original_url}
          target="_blank"
          rel="noreferrer"
          title={t('marking.page.original.note')}
        >
          {t('marking.page.original')}
        </Anchor>
        <InkTools
          ink={ink}
          tool={tool}
          isClosed={isClosed}
          onTool={setTool}
          onStamp={stamp}
          onCancelPage={() => ink.add({ kind: 'cancel', page })}
        />
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
        {pictures === null ? (
          <Alert variant="default" role="alert" m="md">
            {t('marking.page.notYet')}
          </Alert>
        ) : (
          <div
            ref={pane.ref}
            className="marking-pane"
            role="group"
            aria-label={t('marking.page.all')}
            tabIndex={0}
          >
            <div
              style={{ position: 'relative', height: (boxes.at(-1)?.top ?? 0) + (boxes.at(-1)?.height ?? 0) }}
            >
              {boxes.map((box) => (
                <div
                  key={`${screen.submission_id} ${box.page}`}
                  className="marking-place"
                  data-page={box.page}
                  style={{ top: box.top, left: box.left, width: box.width, height: box.height }}
                >
                  {scroll.near.has(box.page) ? (
                    <PageSheet
                      screen={screen}
                      pictures={pictures}
                      question={question}
                      criterion={criterion}
                      box={box}
                      ratio={ratios[box.page - 1] ?? A4_RATIO}
                      turns={turns}
                      hasColumn={hasColumn}
                      annotations={annotations.get(box.page) ?? NO_ANNOTATIONS}
                      total={box.page === 1 ? total : null}
                      strokes={ink.strokes.filter((stroke) => stroke.ink.page === box.page)}
                      tool={tool}
                      text={text?.page === box.page ? text.at : null}
                      onPointer={(at) => {
                        pointer.current = at === null ? null : { page: box.page, at };
                      }}
                      onPoint={(kind, at) => stampAt(kind, { page: box.page, at })}
                      onText={(written) => {
                        if (text !== null && written !== '')
                          ink.add({ kind: 'text', page: text.page, at: text.at, text: written });
                        setText(null);
                      }}
                      onDrawn={ink.add}
                      onErase={ink.remove}
                      onRemove={remove}
                    />
                  ) : null}
                </div>
              ))}
            </div>
          </div>
        )}
      </div>
    </>
  );
};

const TURNED: Readonly<Record<Turns, Turns>> = { 0: 1, 1: 2, 2: 3, 3: 0 };
const NO_ANNOTATIONS: readonly ShownAnnotation[] = [];

/** Height by width of each page, upright. */
const ratiosOf = (pages: NonNullable<NonNullable<Screen['copy']>['pictures']>['pages']): number[] =>
  pages.map(({ width, height, rotation }) => (rotation % 180 === 0 ? height / width : width / height));

const annotationsOf = (
  { questions }: Screen,
  removed: Parameters<typeof shownAnnotations>[1],
): Map<number, ShownAnnotation[]> => {
  const answered = questions.map(({ result, before_teacher, teacher }) => {
    const { question_id: id, label, awarded, max, criteria, annotations = [] } = result;
    const given = teacher?.criteria ?? null;
    const marked =
      given === null ? null : criteria.map((each, index) => ({ ...each, awarded: given[index] ?? null }));
    return {
      id,
      label,
      awarded,
      max,
      annotations:
        teacher === null || awarded === null
          ? annotations
          : withTeacherSigns(
              { label, max },
              {
                awarded: before_teacher.awarded,
                criteria: criteria.map((each, index) => ({
                  ...each,
                  awarded: before_teacher.criteria[index] ?? null,
                })),
              },
              { awarded, criteria: marked },
              annotations,
            ),
    };
  });
  return Map.groupBy(shownAnnotations(answered, removed), ({ page }) => page);
};

/** The place at the right of the answer, below what stands there already. */
const besideAnswer = (
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  page: number,
  strokes: ReturnType<typeof useInk>['strokes'],
): PagePoint => {
  const right = Math.min(x + width + BESIDE, 0.97);
  const taken = strokes.flatMap(({ ink }) =>
    ink.page === page && 'at' in ink && Math.abs(ink.at[0] - right) < BESIDE ? [ink.at[1]] : [],
  );
  let down = Math.min(y + Math.min(height / 2, BESIDE), 0.97);
  while (taken.some((other) => Math.abs(other - down) < BESIDE / 2) && down < 0.97) down += BESIDE / 2;
  return [right, Math.min(down, 1)];
};
