import {
  COLUMN_SHARE,
  screenLetters,
  shapesOf,
  sheetShapes,
  type DrawnInk,
  type Ink,
  type ShownAnnotation,
} from '@evaluation/rules/marked-page';
import { useMemo, type MouseEvent, type RefObject } from 'react';
import type { Tool } from './InkTools.tsx';
import { ShapeView } from './ShapeView.tsx';
import { useGesture, type PagePoint } from './useGesture.ts';

const RED = '#cc121a';
const REMARK_RED = '#ad0a14';
/** Width of the page in the unit of the drawing: that of A4 in points. */
const PAGE_WIDTH = 595;
const GRIP = 10;

export interface Stroke {
  id: string;
  ink: Ink;
  by?: { name: string | null };
}

/**
 * Marks, remarks and ink of one page and the column beside it, laid out and drawn as on the checked copy. Screen
 * readers skip it: the same facts are in the table of criteria.
 */
export const MarkedSheet = ({
  svg,
  page,
  ratio,
  hasColumn,
  annotations,
  total,
  strokes,
  tool,
  onPoint,
  onDrawn,
  onErase,
  onRemove,
}: {
  svg: RefObject<SVGSVGElement | null>;
  page: number;
  ratio: number;
  /** False: only the page is shown, without marks. */
  hasColumn: boolean;
  annotations: readonly ShownAnnotation[];
  total: { awarded: string; max: string } | null;
  strokes: readonly Stroke[];
  tool: Tool | null;
  /** A click with a tool that draws at one place. */
  onPoint: (tool: 'tick' | 'cross' | 'text', at: PagePoint) => void;
  onDrawn: (ink: DrawnInk) => void;
  onErase: (id: string) => void;
  onRemove: (annotation: ShownAnnotation) => void;
}) => {
  const size = { width: PAGE_WIDTH, height: PAGE_WIDTH * ratio };
  const shapes = useMemo(
    () =>
      sheetShapes({ width: PAGE_WIDTH, height: PAGE_WIDTH * ratio }, annotations, total, screenLetters).map(
        (each) => ({ ...each, annotation: each.index === null ? undefined : annotations[each.index] }),
      ),
    [annotations, total, ratio],
  );
  const { handlers, live } = useGesture(page, tool, (event) => placeIn(svg.current, size, event), onDrawn);
  const onClick = (event: MouseEvent): void => {
    const at = placeIn(svg.current, size, event);
    if (at !== null && (tool === 'tick' || tool === 'cross' || tool === 'text')) onPoint(tool, at);
  };
  const isErasing = tool === 'erase';
  const grip = isErasing ? GRIP : undefined;
  return (
    <svg
      ref={svg}
      className="marking-marks"
      data-tool={tool ?? 'none'}
      viewBox={`0 0 ${PAGE_WIDTH * (hasColumn ? 1 + COLUMN_SHARE : 1)} ${size.height}`}
      aria-hidden="true"
      onClick={onClick}
      {...handlers}
    >
      {hasColumn
        ? shapes.map(({ shape, tone, annotation }, index) => (
            <g
              key={`shape ${index}`}
              data-mark={annotation?.kind}
              onClick={isErasing && annotation !== undefined ? () => onRemove(annotation) : undefined}
            >
              <ShapeView shape={shape} colour={tone === 'mark' ? RED : REMARK_RED} grip={grip} />
            </g>
          ))
        : null}
      {hasColumn
        ? strokes.map(({ id, ink, by }) =>
            ink.kind === 'removed' ? null : (
              <g key={id} data-ink={ink.kind} onClick={isErasing ? () => onErase(id) : undefined}>
                {by?.name == null ? null : <title>{by.name}</title>}
                {shapesOf(ink, size, screenLetters).map((shape, index) => (
                  <ShapeView key={index} shape={shape} colour={RED} grip={grip} />
                ))}
              </g>
            ),
          )
        : null}
      {live.flatMap((ink) =>
        shapesOf(ink, size, screenLetters).map((shape, index) => (
          <ShapeView key={`live ${index}`} shape={shape} colour={RED} />
        )),
      )}
    </svg>
  );
};

/** The place of an event in fractions of the page, on its edge if the event is beside it. */
export const placeIn = (
  svg: SVGSVGElement | null,
  size: { width: number; height: number },
  { clientX, clientY }: { clientX: number; clientY: number },
): PagePoint | null => {
  const matrix = svg?.getScreenCTM();
  if (matrix == null) return null;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
  const within = (value: number): number => Math.round(Math.min(Math.max(value, 0), 1) * 10_000) / 10_000;
  return [within(x / size.width), within(y / size.height)];
};
