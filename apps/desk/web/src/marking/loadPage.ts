import type { Screen } from './types.ts';

type Copy = NonNullable<Screen['copy']>;
export type Pictures = NonNullable<Copy['pictures']>;

/** Longer side in pixels to which a scan is decoded: sharp when it is enlarged twice, and 35 MB in memory. */
const LONGEST_SIDE = 2480;

/** Pages that are kept decoded: those around the answer, and the first one of the next copy. */
const MOST_KEPT = 6;

const kept = new Map<string, Promise<ImageBitmap>>();

/**
 * The picture of a page from which the page was graded, as a part of the file of the checked copy. The address differs
 * on each read and the place after each change of marks, but the picture is the same, so pictures are kept by page.
 * @throws Error if the store does not give the part, such as after a change of marks has replaced the file
 */
export const loadPage = (submissionId: string, pictures: Pictures, page: number): Promise<ImageBitmap> => {
  const key = `${submissionId} ${page}`;
  const known = kept.get(key);
  const loading = known ?? fetchPage(pictures, page);
  kept.delete(key);
  kept.set(key, loading);
  if (known !== undefined) return known;
  loading.catch(() => kept.delete(key));
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return loading;
};

const fetchPage = async ({ url, pages }: Pictures, page: number): Promise<ImageBitmap> => {
  const place = pages[page - 1];
  if (place === undefined) throw new Error(`the copy has no page ${page}`);
  const { offset, length, width, height } = place;
  const response = await fetch(url, { headers: { range: `bytes=${offset}-${offset + length - 1}` } });
  if (response.status !== 206) throw new Error(`the store answered ${response.status}`);
  const jpeg = new Blob([await response.arrayBuffer()], { type: 'image/jpeg' });
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  return createImageBitmap(jpeg, {
    resizeWidth: Math.max(1, Math.round(width * scale)),
    resizeHeight: Math.max(1, Math.round(height * scale)),
    resizeQuality: 'high',
  });
};

/** Fills the canvas with the picture, turned upright. */
export const showUpright = (canvas: HTMLCanvasElement, picture: ImageBitmap, rotation: number): void => {
  const { width, height } = picture;
  const isLying = rotation % 180 !== 0;
  canvas.width = isLying ? height : width;
  canvas.height = isLying ? width : height;
  const context = canvas.getContext('2d');
  context?.translate(canvas.width / 2, canvas.height / 2);
  context?.rotate((rotation * Math.PI) / 180);
  context?.drawImage(picture, -width / 2, -height / 2);
};
