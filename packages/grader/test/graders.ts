import { onTestFinished } from 'vitest';
import type { ModelServer } from '@evaluation/test-services';
import { createGrader } from '../src/createGrader.ts';
import type { Grader, GraderOptions } from '../src/grader.ts';
import { optionsFor } from './requests.ts';

export type OpenaiOptions = Extract<GraderOptions, { provider: 'openai' }>;

/**
 * Makes graders that ask `server`. A grader is closed when the test that made it has finished, after `afterEach`: reset
 * the server in `beforeEach`, so that no call of the earlier test follows.
 */
export const gradersFor =
  (server: ModelServer) =>
  async (options: Partial<OpenaiOptions> = {}): Promise<Grader> => {
    const grader = await createGrader({ ...optionsFor(server.baseUrl), ...options });
    onTestFinished(() => grader.close());
    return grader;
  };
