import { makeZip } from 'client-zip';
import Papa from 'papaparse';
import { Agent, request } from 'undici';
import { failureOf, type CoreClient } from '@evaluation/core-client';
import { CHANGED_BY_SPREADSHEET } from '../../tables/formulaCells.ts';
import { namesOfCopies } from './fileNames.ts';
import type { MarksPage } from './marksPages.ts';

/** Connections for downloads of checked copies. The timeouts free a connection when the store stops sending. */
const STORE = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

interface Entry {
  name: string;
  input: string | AsyncIterable<Uint8Array>;
  lastModified: Date;
}

/**
 * The checked copies of an exam as a ZIP file without compression: PDF files do not shrink. Copies are read one after
 * the other, at the speed of the browser, so memory does not grow with their number. Copies that are not drawn yet,
 * or no longer match the marks, are listed in `not-included.csv`.
 */
export const checkedCopiesZip = (
  core: CoreClient['public'],
  pages: AsyncIterable<MarksPage>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> => makeZip(entries(core, pages, signal));

async function* entries(
  core: CoreClient['public'],
  pages: AsyncIterable<MarksPage>,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const missing: string[][] = [];
  const nameOf = namesOfCopies();
  for await (const { data } of pages) {
    for (const { submission_id, candidate, status } of data) {
      const url = await urlOf(core, submission_id);
      if (url === null) {
        missing.push([candidate.external_id, status]);
        continue;
      }
      const { statusCode, body } = await request(url, { dispatcher: STORE, signal });
      if (statusCode !== 200) {
        await body.dump();
        throw new Error(`the object store answered ${statusCode} for a checked copy`);
      }
      yield { name: nameOf(candidate.external_id, submission_id), input: body, lastModified: new Date() };
    }
  }
  if (missing.length > 0) {
    const input = Papa.unparse([['Candidate', 'Status'], ...missing], {
      escapeFormulae: CHANGED_BY_SPREADSHEET,
    });
    yield { name: 'not-included.csv', input, lastModified: new Date() };
  }
}

/** A URL of the store for a minute; null without a copy of the present marks that this person may see. */
const urlOf = async (core: CoreClient['public'], submissionId: string): Promise<string | null> => {
  try {
    return (await core.submissions.checkedCopy.query({ submission_id: submissionId })).url;
  } catch (error) {
    const code = failureOf(error)?.code;
    if (code === 'not_found' || code === 'conflict') return null;
    throw error;
  }
};
