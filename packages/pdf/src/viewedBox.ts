import type { Box, PageImage } from './types.ts';

type Geometry = Pick<PageImage, 'width' | 'height' | 'pageWidth' | 'pageHeight' | 'skewDegrees'>;

/**
 * Maps a box from fractions of the page image (as a model saw it, deskewed) to fractions of the viewed page. A deskewed
 * image was turned about its centre, so the box turns back about the centre; the upright rectangle around the turned
 * one's centre keeps the box's size, since a box grown to hold the corners would swallow the next line.
 */
export function toViewedBox(box: Box, image: Geometry): Box {
  return turned(box, [image.width, image.height], [image.pageWidth, image.pageHeight], image.skewDegrees);
}

/** The inverse of {@link toViewedBox}: from fractions of the viewed page to fractions of the page image. */
export function toImageBox(box: Box, image: Geometry): Box {
  return turned(box, [image.pageWidth, image.pageHeight], [image.width, image.height], -image.skewDegrees);
}

function turned(box: Box, from: [number, number], to: [number, number], degrees: number): Box {
  if (degrees === 0) return box;
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  const dx = (box.x + box.width / 2 - 0.5) * from[0];
  const dy = (box.y + box.height / 2 - 0.5) * from[1];
  const width = (box.width * from[0]) / to[0];
  const height = (box.height * from[1]) / to[1];
  return {
    x: 0.5 + (dx * cos - dy * sin) / to[0] - width / 2,
    y: 0.5 + (dx * sin + dy * cos) / to[1] - height / 2,
    width,
    height,
  };
}
