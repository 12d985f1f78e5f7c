import type { Area, Point } from './canvas.ts';
import { cut } from './lettering.ts';
import type { Lettering } from './lettering.ts';
import { distance, leaderBetween, steps } from './room.ts';
import type { Room } from './room.ts';

export interface PlacedComment {
  area: Area;
  lines: string[];
  size: number;
  /** Line from the comment to its answer; null when the comment stands near the answer. */
  leader: [Point, Point] | null;
}

const MOST_CHARACTERS = 600;
const MOST_LINES = 9;
/** Widths (units) to which the text is wrapped, tried in this order. */
const WIDTHS = [165, 250, 115, 360, 480];
/** A comment farther from its answer than this share of the page height gets a leader. */
const LEADER_BEYOND = 0.12;

export const COMMENT_PADDING = 3.5;
export const COMMENT_LEADING = 1.28;

/**
 * Places a comment on the nearest empty paper. Returns null without a text or a place; the summary has every remark.
 */
export const placeComment = (
  room: Room,
  text: string,
  area: Area,
  { regular }: Lettering,
): PlacedComment | null => {
  const { unit } = room;
  const size = 7.6 * unit;
  const padding = COMMENT_PADDING * unit;
  const gap = 5 * unit;
  let best: PlacedComment | null = null;
  let nearest = Infinity;
  const tried = new Set<number>();
  for (const width of WIDTHS) {
    const lines = regular.wrap(cut(text, MOST_CHARACTERS), size, width * unit, MOST_LINES);
    if (lines.length === 0) return null;
    if (tried.has(lines.length)) continue;
    tried.add(lines.length);
    const shape = {
      width: Math.max(...lines.map((line) => regular.width(line, size))) + padding * 2 + unit,
      height: lines.length * size * COMMENT_LEADING + padding * 1.4,
    };
    // Places above the answer cost more, because the comment could be read as one on the answer before. Places left
    // of the answer cost more, because the question number stands there.
    const above = (y: number) => (y < area.y - gap ? 20 * unit : 0);
    const cost = (spot: Area) => distance(spot, area) + above(spot.y) + Math.max(0, area.x - spot.x) * 0.3;
    const away = (y: number) => Math.max(0, area.y - (y + shape.height), y - (area.y + area.height));
    const ys = steps(gap, room.height - shape.height - gap, 3 * unit).sort((a, b) => away(a) - away(b));
    const place = room.emptiest({
      size: shape,
      xs: [
        area.x + area.width + gap,
        ...steps(gap, room.width - shape.width - gap, 9 * unit),
        room.width - shape.width - gap,
      ],
      ys,
      cost,
      clearance: 2.5 * unit,
      leastCost: (y) => away(y) + above(y),
    });
    if (place === null) continue;
    // Earlier widths are easier to read, so a later width must bring the comment at least 12 units nearer.
    if (cost(place) >= nearest - 12 * unit) continue;
    nearest = cost(place);
    const far = distance(place, area) > LEADER_BEYOND * room.height;
    best = { area: place, lines, size, leader: far ? leaderBetween(room, place, area) : null };
  }
  if (best !== null) room.take(best.area);
  return best;
};
