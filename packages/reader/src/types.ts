/** Fractions of the picture, origin top left, y down. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Word {
  text: string;
  /** As it was read, if `text` is a word of the paper in its place. */
  read?: string;
  box: Box;
  /** Mean probability of its characters, 0..1. */
  confidence: number;
}

/** A piece of a row of writing, as the detector found it or joined from neighbours. */
export interface Line {
  text: string;
  box: Box;
  /** Mean probability of its characters, 0..1. */
  confidence: number;
  words: Word[];
}

/** Decoded pixels, three bytes each (red, green, blue), rows from the top. */
export interface Pixels {
  data: Uint8Array;
  width: number;
  height: number;
}

/**
 * A rectangle of pixels that may lean. `angle` is in radians, clockwise, between −45° and 45°; `width` runs along it.
 */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
  angle: number;
}
