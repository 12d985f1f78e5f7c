import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Result } from '@evaluation/rest-contract';
import { bodyOf, type ApiClient } from './api.ts';
import { DemoFailure } from './failure.ts';

const POLL_MS = 500;
const WITHIN_MS = 30_000;

/** Downloads the checked copy into the data folder. @returns its path @throws DemoFailure */
export const saveCheckedCopy = async (
  api: ApiClient,
  result: Result,
  dataDir: string,
  signal: AbortSignal,
): Promise<string> => {
  await untilAvailable(api, result, signal);
  const body: unknown = bodyOf(
    await api.submissions.checkedCopy({ params: { submissionId: result.submission_id } }),
    200,
    'The checked copy cannot be downloaded',
  );
  if (!(body instanceof Blob)) throw new DemoFailure('The checked copy was not returned as a file.');
  const folder = join(dataDir, 'demo');
  const file = join(folder, `checked-copy-${result.submission_id}.pdf`);
  const bytes = await body.bytes();
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(file, bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DemoFailure(
      `The checked copy cannot be saved: ${reason}. Set DATA_DIR to a folder that can be written.`,
    );
  }
  return file;
};

/** Waits for the checked copy, which may be drawn after the marks are available. */
const untilAvailable = async (api: ApiClient, first: Result, signal: AbortSignal): Promise<void> => {
  const giveUpAt = Date.now() + WITHIN_MS;
  let result = first;
  while (!result.checked_copy.available) {
    if (Date.now() > giveUpAt)
      throw new DemoFailure('The marks are ready, but the checked copy is not drawn yet.');
    await wait(POLL_MS, undefined, { signal });
    result = bodyOf(
      await api.submissions.result({ params: { submissionId: first.submission_id } }),
      200,
      'The result cannot be read',
    );
  }
};
