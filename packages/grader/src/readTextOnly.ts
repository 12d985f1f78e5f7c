import { openOcr } from './baseline/ocr.ts';
import { readOffline } from './baseline/readOffline.ts';
import type { Answered, CallOptions, ReadPagesRequest, SeenPage } from './grader.ts';

/** Reads a page after the 40th without a model (docs/api/submissions.md#handwritten-copies). Rejects like a Grader. */
export const readTextOnly = async (
  request: Pick<ReadPagesRequest, 'pages' | 'paper'>,
  options: CallOptions,
): Promise<Answered<SeenPage[]>> => {
  const ocr = openOcr();
  try {
    return await readOffline(request, ocr, options);
  } finally {
    await ocr.close();
  }
};
