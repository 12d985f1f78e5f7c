export type Point = readonly [x: number, y: number];

/** In the unit of the page on which it lies, origin top left, y down. */
export interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}
