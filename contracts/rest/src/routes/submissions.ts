import * as z from 'zod/v4';
import { Deleted } from '../schemas/primitives.ts';
import { Approve, MarkOverride, Unfinalize } from '../schemas/review.ts';
import { ExamResultsQuery, QuestionResult, Result, ResultList, ResultQuery } from '../schemas/result.ts';
import {
  ExamSubmissionsQuery,
  FeedQuery,
  ReEvaluate,
  Submission,
  SubmissionCreate,
  SubmissionList,
} from '../schemas/submission.ts';
import { about, c } from './contract.ts';

const ofExam = z.object({ examId: z.string() });
const submissionId = z.object({ submissionId: z.string() });

export const submissions = c.router({
  create: {
    method: 'POST',
    path: '/exams/:examId/submissions',
    summary: 'Submit a scanned copy or typed answers for grading',
    pathParams: ofExam,
    body: SubmissionCreate,
    responses: { 202: Submission },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: [402, 404, 409, 422],
      provisional: [
        'typed-answer-fields',
        'submission-warnings',
        'typed-quote',
        'progress-step',
        'upload-refusals',
      ],
    }),
  },
  feed: {
    method: 'GET',
    path: '/submissions',
    summary: 'What changed, across all exams',
    query: FeedQuery,
    responses: { 200: SubmissionList },
    metadata: about({
      scope: 'evaluation:read',
      failures: [422],
      provisional: ['invalid-cursor', 'submission-warnings', 'typed-quote', 'progress-step'],
    }),
  },
  get: {
    method: 'GET',
    path: '/submissions/:submissionId',
    summary: 'Read a submission: its status, its place in the queue, its progress',
    pathParams: submissionId,
    responses: { 200: Submission },
    metadata: about({
      scope: 'evaluation:read',
      failures: [404],
      provisional: ['submission-warnings', 'typed-quote', 'progress-step'],
    }),
  },
  listOfExam: {
    method: 'GET',
    path: '/exams/:examId/submissions',
    summary: 'The live submissions of an exam',
    pathParams: ofExam,
    query: ExamSubmissionsQuery,
    responses: { 200: SubmissionList },
    metadata: about({
      scope: 'evaluation:read',
      failures: [404, 422],
      provisional: ['invalid-cursor', 'submission-warnings', 'typed-quote', 'progress-step'],
    }),
  },
  cancel: {
    method: 'POST',
    path: '/submissions/:submissionId/cancel',
    summary: 'Stop grading; what was reserved for it is not charged',
    pathParams: submissionId,
    body: c.noBody(),
    responses: { 200: Submission },
    metadata: about({
      scope: 'evaluation:write',
      failures: [404, 409],
      provisional: ['submission-warnings', 'typed-quote', 'progress-step'],
    }),
  },
  delete: {
    method: 'DELETE',
    path: '/submissions/:submissionId',
    summary: 'Delete a submission that is not finalized; its grading is stopped',
    pathParams: submissionId,
    responses: { 200: Deleted },
    metadata: about({
      scope: 'evaluation:write',
      failures: [404, 409],
      provisional: ['submission-delete'],
    }),
  },
  reEvaluate: {
    method: 'POST',
    path: '/submissions/:submissionId/re-evaluate',
    summary: 'Grade a submission again, at the same price',
    pathParams: submissionId,
    body: ReEvaluate.optional(),
    responses: { 202: Submission },
    metadata: about({
      scope: 'evaluation:write',
      failures: [402, 404, 409, 422, 429],
      provisional: [
        're-evaluate-body',
        're-evaluate-status',
        'submission-warnings',
        'typed-quote',
        'progress-step',
      ],
    }),
  },
  result: {
    method: 'GET',
    path: '/submissions/:submissionId/result',
    summary: 'Read question-wise marks, criteria and feedback',
    pathParams: submissionId,
    query: ResultQuery,
    responses: { 200: Result },
    metadata: about({ scope: 'evaluation:read', failures: [404, 422], provisional: ['annotation-items'] }),
  },
  resultsOfExam: {
    method: 'GET',
    path: '/exams/:examId/results',
    summary: 'The results of all live submissions of an exam',
    pathParams: ofExam,
    query: ExamResultsQuery,
    responses: { 200: ResultList },
    metadata: about({
      scope: 'evaluation:read',
      failures: [404, 422],
      provisional: ['annotation-items', 'invalid-cursor'],
    }),
  },
  checkedCopy: {
    method: 'GET',
    path: '/submissions/:submissionId/checked-copy',
    summary: 'Download the annotated copy',
    pathParams: submissionId,
    responses: {
      200: c.otherResponse({
        contentType: 'application/pdf',
        body: z.unknown().meta({ type: 'string', format: 'binary' }),
      }),
    },
    metadata: about({ scope: 'evaluation:read', failures: [404], provisional: ['checked-copy-unavailable'] }),
  },
  override: {
    method: 'PATCH',
    path: '/submissions/:submissionId/questions/:questionId',
    summary: "Override the mark of a question with a teacher's",
    pathParams: z.object({ submissionId: z.string(), questionId: z.string() }),
    body: MarkOverride,
    responses: { 200: QuestionResult },
    metadata: about({
      scope: 'evaluation:review',
      failures: [404, 409, 422],
      provisional: ['override-fields', 'override-response'],
    }),
  },
  approve: {
    method: 'POST',
    path: '/submissions/:submissionId/approve',
    summary: 'Approve the marks of a submission; its flags are cleared',
    pathParams: submissionId,
    body: Approve.optional(),
    responses: { 200: Submission },
    metadata: about({
      scope: 'evaluation:review',
      failures: [404, 409, 422],
      provisional: [
        'approve-body',
        'approve-scope',
        'review-scopes',
        'submission-warnings',
        'typed-quote',
        'progress-step',
      ],
    }),
  },
  unfinalize: {
    method: 'POST',
    path: '/submissions/:submissionId/unfinalize',
    summary: 'Put a finalized result back on hold',
    pathParams: submissionId,
    body: Unfinalize,
    responses: { 200: Submission },
    metadata: about({
      scope: 'evaluation:finalize',
      failures: [404, 409, 422],
      provisional: [
        'unfinalize-response',
        'unfinalize-scope',
        'review-scopes',
        'submission-warnings',
        'typed-quote',
        'progress-step',
      ],
    }),
  },
});
