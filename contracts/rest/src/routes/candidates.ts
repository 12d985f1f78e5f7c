import * as z from 'zod/v4';
import {
  Candidate,
  CandidatesCreate,
  CandidatesCreated,
  CandidateSearch,
  CandidatesFound,
  CandidatesRegister,
  CandidatesRegistered,
  RegisteredCandidateList,
  RegisteredCandidateQuery,
} from '../schemas/candidate.ts';
import { Deleted, givenId } from '../schemas/primitives.ts';
import { about, c, ofExam } from './contract.ts';

export const candidates = c.router({
  create: {
    method: 'POST',
    path: '/candidates',
    summary: 'Create or update candidates, matched on `external_id`',
    description: 'Fields that are sent replace what is stored; fields left out or `null` keep it.',
    body: CandidatesCreate,
    responses: { 200: CandidatesCreated },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: ['candidate_not_found', 'validation_failed'],
    }),
  },
  search: {
    method: 'POST',
    path: '/candidates/search',
    summary: 'Find candidates by your own ids; unknown ones are missing from the answer',
    body: CandidateSearch,
    responses: { 200: CandidatesFound },
    metadata: about({ scope: 'evaluation:read', failures: ['validation_failed'] }),
  },
  get: {
    method: 'GET',
    path: '/candidates/:candidateId',
    summary: 'Read a candidate',
    pathParams: z.object({ candidateId: givenId }),
    responses: { 200: Candidate },
    metadata: about({ scope: 'evaluation:read', failures: ['candidate_not_found'] }),
  },
  register: {
    method: 'POST',
    path: '/exams/:examId/candidates',
    summary: 'Register candidates on an exam, all or none; those that are registered already stay so',
    pathParams: ofExam,
    body: CandidatesRegister,
    responses: { 200: CandidatesRegistered },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: ['exam_not_found', 'candidate_not_found', 'exam_finalized', 'validation_failed'],
    }),
  },
  listRegistered: {
    method: 'GET',
    path: '/exams/:examId/candidates',
    summary: 'List the candidates of an exam, each with its live submission',
    pathParams: ofExam,
    query: RegisteredCandidateQuery,
    responses: { 200: RegisteredCandidateList },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['exam_not_found', 'validation_failed'],
      provisional: ['invalid-cursor'],
    }),
  },
  unregister: {
    method: 'DELETE',
    path: '/exams/:examId/candidates/:candidateId',
    summary: 'Take a candidate without a submission off an exam',
    pathParams: z.object({ examId: givenId, candidateId: givenId }),
    responses: { 200: Deleted },
    metadata: about({
      scope: 'evaluation:write',
      failures: ['exam_not_found', 'candidate_not_found', 'exam_finalized', 'candidate_has_submission'],
      provisional: ['candidate-unregister'],
    }),
  },
});
