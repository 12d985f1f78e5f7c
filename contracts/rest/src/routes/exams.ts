import {
  Exam,
  ExamCreate,
  ExamEdit,
  ExamList,
  ExamListQuery,
  ExamOpen,
  ExamSearch,
  ExamsFound,
} from '../schemas/exam.ts';
import { Deleted } from '../schemas/primitives.ts';
import { Finalize, Finalized } from '../schemas/review.ts';
import { EXAM_POINTS, RUBRIC_RULES, about, c, ofExam } from './contract.ts';

export const exams = c.router({
  create: {
    method: 'POST',
    path: '/exams',
    summary: 'Create an exam, with its questions, rubrics and candidates',
    body: ExamCreate,
    responses: { 201: Exam },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: [
        'exam_exists',
        'conflict',
        'candidate_not_found',
        'validation_failed',
        'exam_not_ready',
        'language_not_supported',
        'unknown_option_label',
        'feature_not_available',
        ...RUBRIC_RULES,
      ],
      provisional: [...EXAM_POINTS, 'open-checks'],
    }),
  },
  list: {
    method: 'GET',
    path: '/exams',
    summary: 'List exams; deleted ones are hidden',
    query: ExamListQuery,
    responses: { 200: ExamList },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['validation_failed'],
      provisional: ['exam-list', 'exam-list-items', 'invalid-cursor', ...EXAM_POINTS],
    }),
  },
  search: {
    method: 'POST',
    path: '/exams/search',
    summary: 'Find an exam by your own reference',
    body: ExamSearch,
    responses: { 200: ExamsFound },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['validation_failed'],
      provisional: ['exam-search', 'exam-list-items', ...EXAM_POINTS],
    }),
  },
  get: {
    method: 'GET',
    path: '/exams/:examId',
    summary: 'Read an exam; a deleted one shows its status',
    pathParams: ofExam,
    responses: { 200: Exam },
    metadata: about({
      scope: 'evaluation:read',
      failures: ['exam_not_found'],
      provisional: EXAM_POINTS,
    }),
  },
  edit: {
    method: 'PATCH',
    path: '/exams/:examId',
    summary: 'Edit an exam; mode, sections and blind of a draft only',
    pathParams: ofExam,
    body: ExamEdit,
    responses: { 200: Exam },
    metadata: about({
      scope: 'evaluation:write',
      failures: [
        'exam_not_found',
        'exam_exists',
        'exam_finalized',
        'conflict',
        'validation_failed',
        'language_not_supported',
      ],
      provisional: ['exam-edit', ...EXAM_POINTS],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/exams/:examId',
    summary: 'Delete a draft, or an open exam without submissions',
    pathParams: ofExam,
    responses: { 200: Deleted },
    metadata: about({
      scope: 'evaluation:write',
      failures: ['exam_not_found', 'exam_finalized', 'conflict'],
      provisional: ['exam-delete'],
    }),
  },
  open: {
    method: 'POST',
    path: '/exams/:examId/open',
    summary: 'Open a draft exam for submissions',
    pathParams: ofExam,
    body: ExamOpen.optional(),
    responses: { 200: Exam },
    metadata: about({
      scope: 'evaluation:write',
      failures: ['exam_not_found', 'exam_finalized', 'exam_not_ready', 'validation_failed'],
      provisional: ['exam-open-body', 'open-checks', ...EXAM_POINTS],
    }),
  },
  finalize: {
    method: 'POST',
    path: '/exams/:examId/finalize',
    summary: 'Make results final: those named, or all that are graded',
    pathParams: ofExam,
    body: Finalize,
    responses: { 200: Finalized },
    metadata: about({
      body: 'large',
      scope: 'evaluation:finalize',
      failures: ['exam_not_found', 'not_found', 'conflict', 'validation_failed'],
      provisional: ['finalize-response'],
    }),
  },
});
