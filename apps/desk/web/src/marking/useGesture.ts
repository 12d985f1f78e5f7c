import { MOST_INK_POINTS, type DrawnInk } from '@evaluation/rules/marked-page';
import { useState, type PointerEvent } from 'react';
import type { Tool } from './InkTools.tsx';

export type PagePoint = [x: number, y: number];
type Pressed = [x: number, y: number, pressure: number];

/** Shortest line that counts, and shortest step of the pen, as a share of the page. */
const SHORTEST = 0.005;
const STEP = 0.0015;
/** Lines that lean less than this are underlines along the writing. */
const LEVEL = 0.12;

const rounded = (value: number): number => Math.round(Math.min(Math.max(value, 0), 1) * 10_000) / 10_000;

interface Gesture {
  tool: 'pen' | 'underline' | 'ring';
  points: Pressed[];
}

/** The strokes of a gesture on a page. A stroke of the pen with too many points becomes several that join. */
const inkOf = ({ tool, points }: Gesture, page: number): DrawnInk[] => {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (tool === 'pen') {
    const parts = Math.ceil(points.length / (MOST_INK_POINTS - 1));
    return Array.from({ length: parts }, (_, part) => {
      const start = part * (MOST_INK_POINTS - 1);
      return { kind: 'pen', page, points: points.slice(start, start + MOST_INK_POINTS) };
    });
  }
  const from: PagePoint = [first[0], first[1]];
  const [across, down] = [last[0] - first[0], last[1] - first[1]];
  if (Math.hypot(across, down) < SHORTEST) return [];
  const isLevel = tool === 'underline' && Math.abs(down) < Math.abs(across) * LEVEL;
  return [{ kind: tool, page, from, to: [last[0], isLevel ? first[1] : last[1]] }];
};

/**
 * Follows mouse, finger or stylus while a tool is drawn with.
 * @param placeOf the place of an event in fractions of the page
 */
export const useGesture = (
  page: number,
  tool: Tool | null,
  placeOf: (event: { clientX: number; clientY: number }) => PagePoint | null,
  onDrawn: (ink: DrawnInk) => void,
) => {
  const [gesture, setGesture] = useState<Gesture | null>(null);
  const drawn = tool === 'pen' || tool === 'underline' || tool === 'ring' ? tool : null;
  const pointsOf = (event: PointerEvent): Pressed[] => {
    const events = event.nativeEvent.getCoalescedEvents();
    return (events.length === 0 ? [event.nativeEvent] : events).flatMap((each) => {
      const at = placeOf(each);
      const pressure = each.pointerType === 'pen' ? each.pressure : 0.5;
      return at === null ? [] : [[rounded(at[0]), rounded(at[1]), rounded(pressure)] satisfies Pressed];
    });
  };
  const handlers =
    drawn === null
      ? {}
      : {
          onPointerDown: (event: PointerEvent) => {
            if (event.button !== 0 || !event.isPrimary) return;
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            setGesture({ tool: drawn, points: pointsOf(event) });
          },
          onPointerMove: (event: PointerEvent) => {
            if (gesture === null || !event.isPrimary) return;
            const points = [...gesture.points];
            for (const point of pointsOf(event)) {
              const last = points.at(-1);
              if (last === undefined || Math.hypot(point[0] - last[0], point[1] - last[1]) >= STEP)
                points.push(point);
            }
            setGesture({ ...gesture, points });
          },
          onPointerUp: (event: PointerEvent) => {
            if (gesture === null || !event.isPrimary) return;
            for (const ink of inkOf(gesture, page)) onDrawn(ink);
            setGesture(null);
          },
          onPointerCancel: () => setGesture(null),
        };
  return { handlers, live: gesture === null ? [] : inkOf(gesture, page) };
};
