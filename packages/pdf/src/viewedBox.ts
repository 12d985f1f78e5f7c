import type { Box, PageImage } from './types.ts';

type Geometry = Pick<PageImage, 'width' | 'height' | 'pageWidth' | 'pageHeight' | 'skewDegrees'>;

/**
 * Maps a box from fractions of the (deskewed) page image to fractions of the viewed page. Deskewing turned the image
 * about its centre, so the box's centre is turned back about it. The box keeps its size: a box enlarged to hold the
 * turned corners would cover the next line.
 */
export const toViewedBox = (box: Box, image: Geometry): Box =>
  turned(box, [image.width, image.height], [image.pageWidth, image.pageHeight], image.skewDegrees);

export const toImageBox = (box: Box, image: Geometry): Box =>
  turned(box, [image.pageWidth, image.pageHeight], [image.width, image.height], -image.skewDegrees);

const turned = (box: Box, from: [number, number], to: [number, number], degrees: number): Box => {
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
};
