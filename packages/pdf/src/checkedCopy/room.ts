import type { Area, Point } from './canvas.ts';
import type { InkShare } from './freeSpace.ts';

/** Ink (units²) that a place can hold and still count as empty: specks or the foot of a letter. */
const SPECKS = 9;
const SPECK_SHARE = 0.002;

interface Search {
  size: { width: number; height: number };
  xs: readonly number[];
  ys: readonly number[];
  /** Distance in points from the preferred place. */
  cost: (place: Area) => number;
  /** Lower bound of `cost` in a row for any x; rows that cannot win are skipped. */
  leastCost?: (y: number) => number;
  /** Points around the place that must be empty too; default 0. */
  clearance?: number;
}

/** Free space of a page, known from earlier drawings and the page's ink. `unit` is one point on A4. */
export class Room {
  readonly width: number;
  readonly height: number;
  readonly unit: number;
  readonly taken: Area[] = [];
  readonly #ink: InkShare;

  constructor(page: { width: number; height: number }, ink: InkShare, taken: readonly Area[] = []) {
    this.width = page.width;
    this.height = page.height;
    this.unit = Math.min(page.width, page.height) / 595;
    this.#ink = ink;
    this.taken.push(...taken);
  }

  take(place: Area): void {
    this.taken.push(place);
  }

  isFree(place: Area): boolean {
    for (const each of this.taken) {
      if (
        each.x < place.x + place.width &&
        place.x < each.x + each.width &&
        each.y < place.y + place.height &&
        place.y < each.y + each.height
      ) {
        return false;
      }
    }
    return true;
  }

  /** Units². */
  ink(place: Area): number {
    return (this.#ink(place) * place.width * place.height) / this.unit ** 2;
  }

  isEmpty(place: Area): boolean {
    return this.ink(place) <= SPECKS + (SPECK_SHARE * place.width * place.height) / this.unit ** 2;
  }

  /** The free place without writing and with the lowest cost; null when there is none. */
  emptiest(search: Search): Area | null {
    const around = search.clearance ?? 0;
    return this.#best(search, (place, cost) => (this.isEmpty(grown(place, around)) ? cost : Infinity));
  }

  /** The free place with the least ink, weighed against its cost; null when no place is free. */
  leastInked(search: Search): Area | null {
    return this.#best(search, (place, cost) => cost + this.ink(place) * 10 * this.unit);
  }

  #best({ size, xs, ys, cost, leastCost }: Search, judged: (place: Area, cost: number) => number) {
    let best: Area | null = null;
    let least = Infinity;
    for (const y of ys) {
      if (y < 0 || y + size.height > this.height || (leastCost?.(y) ?? 0) >= least) continue;
      for (const x of xs) {
        if (x < 0 || x + size.width > this.width) continue;
        const place = { x, y, width: size.width, height: size.height };
        const ofPlace = cost(place);
        if (ofPlace >= least) continue;
        const all = judged(place, ofPlace);
        if (all >= least || !this.isFree(place)) continue;
        [best, least] = [place, all];
      }
    }
    return best;
  }
}

const grown = ({ x, y, width, height }: Area, by: number): Area => ({
  x: x - by,
  y: y - by,
  width: width + by * 2,
  height: height + by * 2,
});

/** Numbers from `from` up to `to` (inclusive) at intervals of `step`; [] when `to` is before `from`. */
export const steps = (from: number, to: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.floor((to - from) / step) + 1) }, (_, at) => from + at * step);

/** Numbers around `centre` up to `reach` away, nearest first. */
export const stepsAround = (centre: number, reach: number, step: number): number[] => [
  centre,
  ...steps(step, reach, step).flatMap((away) => [centre + away, centre - away]),
];

/** Distance between the edges of two areas; 0 when they touch. */
export const distance = (a: Area, b: Area): number => {
  const dx = Math.max(0, a.x - (b.x + b.width), b.x - (a.x + a.width));
  const dy = Math.max(0, a.y - (b.y + b.height), b.y - (a.y + a.height));
  return Math.hypot(dx, dy);
};

/** A short straight line from one area to the other that crosses as little writing and as few marks as possible. */
export const leaderBetween = (room: Room, a: Area, b: Area): [Point, Point] => {
  const [ax, bx] = nearestOnAxis(a.x, a.x + a.width, b.x, b.x + b.width);
  const [ay, by] = nearestOnAxis(a.y, a.y + a.height, b.y, b.y + b.height);
  const [left, right] = [Math.max(a.x, b.x), Math.min(a.x + a.width, b.x + b.width)];
  // Areas side by side or diagonal to each other have one shortest line.
  if (left >= right || ay === by) {
    return [
      [ax, ay],
      [bx, by],
    ];
  }
  const crossed = (x: number) => {
    const strip = { x: x - room.unit, y: Math.min(ay, by), width: room.unit * 2, height: Math.abs(by - ay) };
    return room.ink(strip) + (room.isFree(strip) ? 0 : strip.height / room.unit);
  };
  const xs = Array.from({ length: 9 }, (_, at) => left + ((right - left) * (at + 0.5)) / 9);
  const x = xs.reduce((best, each) => (crossed(each) < crossed(best) ? each : best));
  return [
    [x, ay],
    [x, by],
  ];
};

const nearestOnAxis = (a0: number, a1: number, b0: number, b1: number): [number, number] => {
  if (a1 < b0) return [a1, b0];
  if (b1 < a0) return [a0, b1];
  const middle = (Math.max(a0, b0) + Math.min(a1, b1)) / 2;
  return [middle, middle];
};
