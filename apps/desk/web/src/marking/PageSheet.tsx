import { Alert } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { COLUMN_SHARE, type DrawnInk, type ShownAnnotation } from '@evaluation/rules/marked-page';
import { useCallback, useRef, useState, type PointerEvent } from 'react';
import { calls } from '../app/calls.ts';
import { useText } from '../app/language.ts';
import type { Tool } from './InkTools.tsx';
import type { Pictures } from './loadPage.ts';
import { MarkedSheet, placeIn, type Stroke } from './MarkedSheet.tsx';
import { PageMarks } from './PageMarks.tsx';
import { PagePicture } from './PagePicture.tsx';
import type { SheetBox, Turns } from './sheets.ts';
import type { Screen, ScreenQuestion } from './types.ts';
import type { PagePoint } from './useGesture.ts';

/** Loads of a page, each with a new address, after which the page counts as broken. */
const MOST_ATTEMPTS = 2;

/** One page of the copy with the column beside it. */
export const PageSheet = ({
  screen,
  pictures,
  question,
  criterion,
  box,
  ratio,
  turns,
  hasColumn,
  annotations,
  total,
  strokes,
  tool,
  text,
  onPointer,
  onPoint,
  onText,
  onDrawn,
  onErase,
  onRemove,
}: {
  screen: Screen;
  pictures: Pictures;
  question: ScreenQuestion | undefined;
  criterion: number | null;
  box: SheetBox;
  ratio: number;
  turns: Turns;
  hasColumn: boolean;
  annotations: readonly ShownAnnotation[];
  /** Shown on the first page only. */
  total: { awarded: string; max: string } | null;
  strokes: readonly Stroke[];
  tool: Tool | null;
  /** Place on this page at which a text is being written. */
  text: PagePoint | null;
  /** Tells where the pointer is, for keys that draw at it. */
  onPointer: (at: PagePoint | null) => void;
  onPoint: (tool: 'tick' | 'cross' | 'text', at: PagePoint) => void;
  /** The text is written; '' if it was given up. */
  onText: (text: string) => void;
  onDrawn: (ink: DrawnInk) => void;
  onErase: (id: string) => void;
  onRemove: (annotation: ShownAnnotation) => void;
}) => {
  const t = useText();
  const queryClient = useQueryClient();
  const { submission_id } = screen;
  const { page, scale } = box;
  const svg = useRef<SVGSVGElement>(null);
  const [attempt, setAttempt] = useState(0);
  const onProblem = useCallback(() => {
    // A change of marks has replaced the file: the screen has the address of the new one.
    const { queryKey } = calls.desk.marking.screen.queryOptions({ submission_id });
    void queryClient.invalidateQueries({ queryKey }).then(() => setAttempt((times) => times + 1));
  }, [queryClient, submission_id]);
  const width = scale * (hasColumn ? 1 + COLUMN_SHARE : 1);
  const track = (event: PointerEvent): void =>
    onPointer(placeIn(svg.current, { width: 595, height: 595 * ratio }, event));
  return (
    <div
      className="marking-sheet"
      style={{
        width,
        height: scale * ratio,
        transform: `translate(-50%, -50%) rotate(${turns * 90}deg)`,
      }}
      onPointerMove={track}
      onPointerLeave={() => onPointer(null)}
    >
      <div className="marking-picture" style={{ width: scale, height: scale * ratio }}>
        {attempt > MOST_ATTEMPTS ? (
          <Alert variant="default" role="alert" m="md">
            {t('marking.page.broken')}
          </Alert>
        ) : (
          <PagePicture
            submissionId={submission_id}
            pictures={pictures}
            page={page}
            attempt={attempt}
            onProblem={onProblem}
          />
        )}
        <PageMarks page={page} question={question} stray={screen.copy?.stray ?? []} criterion={criterion} />
      </div>
      <MarkedSheet
        svg={svg}
        page={page}
        ratio={ratio}
        hasColumn={hasColumn}
        annotations={annotations}
        total={total}
        strokes={strokes}
        tool={tool}
        onPoint={onPoint}
        onDrawn={onDrawn}
        onErase={onErase}
        onRemove={onRemove}
      />
      {text === null ? null : <TextOnPage at={text} scale={scale} ratio={ratio} onText={onText} />}
    </div>
  );
};

/** A field at the place of the page where the text will stand. Enter or leaving writes it, Esc gives it up. */
const TextOnPage = ({
  at,
  scale,
  ratio,
  onText,
}: {
  at: PagePoint;
  scale: number;
  ratio: number;
  onText: (text: string) => void;
}) => {
  const t = useText();
  const isOver = useRef(false);
  const end = (text: string): void => {
    if (isOver.current) return;
    isOver.current = true;
    onText(text.trim());
  };
  return (
    <input
      className="marking-text"
      aria-label={t('marking.ink.textField')}
      maxLength={200}
      // The teacher has just asked for the field, by click or key.
      // eslint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      style={{
        left: Math.min(at[0], 0.75) * scale,
        top: at[1] * scale * ratio,
        fontSize: Math.max(12, (11 / 595) * scale),
      }}
      onBlur={(event) => end(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') end(event.currentTarget.value);
        if (event.key === 'Escape') end('');
      }}
    />
  );
};
