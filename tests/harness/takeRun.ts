import { expect } from 'vitest';
import { behind } from './behind.ts';
import { testWorker, type TestClaim } from './testWorker.ts';
import type { TestService } from './service.ts';

/** Claims a submission's run at once, ahead of other runs: for tests that do not depend on their order. */
export const takeRun = async (service: TestService, submissionId: string): Promise<TestClaim> => {
  await behind(
    service.database,
    `update runs set status = 'released', released_at = clock_timestamp(), delivery = delivery + 1
     where status = 'queued' and id = (select current_run_id from submissions where id = $1)`,
    [submissionId],
  );
  return testWorker(service).claim(submissionId);
};

/** Claims a submission's run, and completes it with this mark for each question that waits for the AI. */
export const gradeRun = async (service: TestService, submissionId: string, awarded = 1): Promise<void> => {
  const held = await takeRun(service, submissionId);
  expect(await held.complete(awarded)).toBe('ok');
};
