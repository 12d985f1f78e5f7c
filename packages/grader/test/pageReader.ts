import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { beforeEach } from 'vitest';
import { closedAfterTests, folderForTests, startModelServer } from '@evaluation/test-services';
import { createGrader } from '../src/createGrader.ts';
import type { Grader, PageImage, Turn } from '../src/grader.ts';
import { gradersFor } from './graders.ts';
import { optionsFor, within } from './requests.ts';
import { turnedJpeg } from '../src/turn.ts';

/** A model server, a grader that reads pages by it, and small pictures as pages. Call at the top of a test file. */
export const pageReader = async () => {
  const server = closedAfterTests(await startModelServer());
  const grader = closedAfterTests(await createGrader(optionsFor(server.baseUrl)));
  const newGrader = gradersFor(server);
  const folder = await folderForTests('grader-read-');
  beforeEach(() => server.reset());

  const page = async (number: number): Promise<PageImage> => {
    const file = path.join(folder, `${number}.jpg`);
    const background = { r: number * 20, g: 200, b: 255 - number * 20 };
    const jpeg = sharp({ create: { width: 60, height: 90, channels: 3, background } }).jpeg();
    await writeFile(file, await jpeg.toBuffer());
    return { page: number, file, width: 60, height: 90, state: 'written' as const };
  };

  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const asSent = async (image: PageImage, turn: Turn) =>
    sha256(await turnedJpeg(await readFile(image.file), turn));
  /** Text parts of each request, which name its images. */
  const shownPages = () =>
    server.calls.map(({ body }) =>
      [...JSON.stringify(body['messages']).matchAll(/"text":"((?:Context p|P)age \d+)/g)].map(
        ([, text]) => text,
      ),
    );
  const readBy = (reader: Grader, pages: PageImage[], context: PageImage | null = null, ms = 10_000) =>
    reader.readPages({ pages, context }, within(ms));
  const read = (pages: PageImage[], context: PageImage | null = null) => readBy(grader, pages, context);
  return { server, grader, newGrader, page, sha256, asSent, shownPages, readBy, read };
};
