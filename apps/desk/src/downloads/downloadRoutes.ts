import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Router, type Request, type Response } from 'express';
import type { CoreAccess, CoreClient } from '@evaluation/core-client';
import type { Logger } from '@evaluation/platform/telemetry';
import { Refusal } from '../middleware/errors.ts';
import { requestIdOf } from '@evaluation/platform/http';
import type { KnownSessions } from '../sessions/knownSessions.ts';
import { checkedCopiesZip } from './checkedCopies.ts';
import { safeFileName } from './fileNames.ts';
import { marksPages, type MarksPage } from './marksPages.ts';
import { answersTable, candidatesTable } from './resultsTable.ts';
import { resultsCsv } from './resultsCsv.ts';
import { resultsXlsx } from './resultsXlsx.ts';

/** Each reads pages of marks from core, at the speed of its browser. */
const MOST_AT_ONCE = 3;

/** Tables of results by the name of their files. */
const TABLES = [
  { name: 'results', suffix: '', table: candidatesTable },
  { name: 'results-by-question', suffix: ' by question', table: answersTable },
] as const;

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * `/downloads/exams/:examId/…`: results as tables and checked copies as one file. They are links, which cannot send the
 * header of the page; they change nothing, and the cookie and `Sec-Fetch-Site` keep other sites out. The first page of
 * marks is read before the answer begins, so that a missing exam gets its status. A later failure ends the connection,
 * and the browser shows a failed download instead of a short file.
 */
export const downloadRoutes = (core: CoreAccess, sessions: KnownSessions, log: Logger): Router => {
  const running = new Map<string, number>();
  /** Of all downloads of an institute; freed when the answer has ended. */
  const takePlace = (instituteId: string, response: Response): void => {
    // The browser disconnected during the look-up of the session: `close` will not be emitted again.
    if (response.closed) throw new Refusal(400, 'BAD_REQUEST');
    const others = running.get(instituteId) ?? 0;
    if (others >= MOST_AT_ONCE) throw new Refusal(429, 'TOO_MANY_REQUESTS', 10);
    running.set(instituteId, others + 1);
    response.once('close', () => {
      const left = (running.get(instituteId) ?? 1) - 1;
      if (left === 0) running.delete(instituteId);
      else running.set(instituteId, left);
    });
  };
  const begin = async (request: Request, response: Response, details: boolean): Promise<Download> => {
    const site = request.get('sec-fetch-site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') throw new Refusal(403, 'FORBIDDEN');
    const known = await sessions.of(request, response);
    if (known === null) throw new Refusal(401, 'UNAUTHORIZED');
    takePlace(known.staff.institute_id, response);
    const caller = core.as({ actor: known.actor, requestId: requestIdOf(response) }).public;
    const { first, pages } = await startReading(
      marksPages(caller, String(request.params['examId']), details),
    );
    return { core: caller, title: first.title, pages };
  };
  const send = async (response: Response, content: Readable): Promise<void> => {
    try {
      await pipeline(content, response);
    } catch (error) {
      response.destroy();
      log.warn({ err: error, request_id: requestIdOf(response) }, 'download ended early');
    }
  };

  const routes = Router();
  for (const { name, suffix, table } of TABLES) {
    routes.get(`/exams/:examId/${name}.csv`, async (request, response) => {
      const { title, pages } = await begin(request, response, true);
      response.attachment(`${safeFileName(title, 'results')}${suffix}.csv`).type('text/csv; charset=utf-8');
      await send(response, Readable.from(resultsCsv(pages, table)));
    });
    routes.get(`/exams/:examId/${name}.xlsx`, async (request, response) => {
      const { title, pages } = await begin(request, response, true);
      response.attachment(`${safeFileName(title, 'results')}${suffix}.xlsx`).type(XLSX);
      await send(response, Readable.fromWeb(resultsXlsx(pages, table)));
    });
  }
  routes.get('/exams/:examId/checked-copies.zip', async (request, response) => {
    const { core: caller, title, pages } = await begin(request, response, false);
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    response.attachment(`${safeFileName(title, 'results')}.zip`).type('application/zip');
    await send(response, Readable.fromWeb(checkedCopiesZip(caller, pages, disconnected.signal)));
  });
  return routes;
};

interface Download {
  core: CoreClient['public'];
  title: string;
  pages: AsyncIterable<MarksPage>;
}

/** Reads the first page at once. @returns the first page, and all pages including the first */
const startReading = async (
  pages: AsyncGenerator<MarksPage>,
): Promise<{ first: MarksPage; pages: AsyncIterable<MarksPage> }> => {
  const { value: first } = await pages.next();
  if (first === undefined) throw new Error('core answered no page of marks');
  const all = async function* () {
    yield first;
    yield* pages;
  };
  return { first, pages: all() };
};
