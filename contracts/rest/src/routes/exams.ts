import * as z from 'zod/v4';
import { Exam, ExamCreate } from '../schemas/exam.ts';
import { about, c } from './contract.ts';

export const exams = c.router({
  create: {
    method: 'POST',
    path: '/exams',
    summary: 'Create an exam, with its questions, rubrics and candidates',
    body: ExamCreate,
    responses: { 201: Exam },
    metadata: about({
      scope: 'evaluation:write',
      failures: [409, 422],
      provisional: ['submission-warnings', 'typed-quote', 'open-checks'],
    }),
  },
  get: {
    method: 'GET',
    path: '/exams/:examId',
    summary: 'Read an exam; a deleted one shows its status',
    pathParams: z.object({ examId: z.string() }),
    responses: { 200: Exam },
    metadata: about({
      scope: 'evaluation:read',
      failures: [404],
      provisional: ['submission-warnings', 'typed-quote'],
    }),
  },
  open: {
    method: 'POST',
    path: '/exams/:examId/open',
    summary: 'Open a draft exam for submissions',
    pathParams: z.object({ examId: z.string() }),
    body: z.object({}).optional(),
    responses: { 200: Exam },
    metadata: about({
      scope: 'evaluation:write',
      failures: [404, 409, 422],
      provisional: ['exam-open-body', 'open-checks', 'submission-warnings', 'typed-quote'],
    }),
  },
});
