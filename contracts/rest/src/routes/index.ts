import { account } from './account.ts';
import { candidates } from './candidates.ts';
import { c, failures } from './contract.ts';
import { credits } from './credits.ts';
import { exams } from './exams.ts';
import { questions } from './questions.ts';
import { rubrics } from './rubrics.ts';
import { submissions } from './submissions.ts';
import { uploads } from './uploads.ts';

/** All routes. Paths are relative to the base address, which ends with `/v1`. */
export const contract = c.router(
  { account, exams, questions, rubrics, candidates, uploads, submissions, credits },
  { commonResponses: failures },
);
export type Contract = typeof contract;
export { happensOnce, rateKind, type RouteMetadata } from './contract.ts';
