import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach } from 'vitest';
import { closedAfterTests, folderForTests, startModelServer } from '@evaluation/test-services';
import { createGrader } from '../src/createGrader.ts';
import type { PageImage } from '../src/grader.ts';
import { optionsFor, within } from './requests.ts';

/** A grader over a programmable model server, and pages to read. Call at the top of a test file. */
export const testGrader = async () => {
  const server = closedAfterTests(await startModelServer());
  const grader = closedAfterTests(await createGrader(optionsFor(server.baseUrl)));
  const folder = await folderForTests('grader-openai-');
  beforeEach(() => server.reset());

  const sent = () => JSON.stringify(server.calls.at(-1)?.body);
  /** The latest user message; it is one string without an image. */
  const lastPrompt = (): string => {
    const messages = server.calls.at(-1)?.body['messages'];
    const user = Array.isArray(messages) ? messages[1] : null;
    const content = user !== null && typeof user === 'object' && 'content' in user ? user['content'] : null;
    return typeof content === 'string' ? content : '';
  };

  const page = async (number: number, isClean = false): Promise<PageImage> => {
    const file = path.join(folder, `${number}.jpg`);
    await writeFile(file, `jpeg bytes of page ${number}`);
    return {
      page: number,
      file,
      width: 1000,
      height: 1400,
      state: isClean ? 'clean' : 'written',
    };
  };

  const readPages = (pages: PageImage[], reader = grader) =>
    reader.readPages({ pages, context: null }, within(10_000));
  const answerWith = (content: unknown) => server.behave([{ behaviour: { kind: 'content', content } }]);
  return { server, grader, folder, sent, lastPrompt, page, readPages, answerWith };
};
