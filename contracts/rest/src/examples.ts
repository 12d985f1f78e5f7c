import type { ErrorCode } from './errors.ts';
import { ESSAY_ID, MCQ_ID, optionIds, questionExamples, questionInputs } from './exampleQuestions.ts';
import type { Account } from './schemas/account.ts';
import type {
  Candidate,
  CandidatesCreate,
  CandidatesCreated,
  CandidateSearch,
  CandidatesFound,
  CandidatesRegister,
  CandidatesRegistered,
  RegisteredCandidateList,
} from './schemas/candidate.ts';
import type { CreditQuote, CreditQuoteRequest, Credits } from './schemas/credits.ts';
import type {
  Exam,
  ExamCreate,
  ExamEdit,
  ExamList,
  ExamListItem,
  ExamSearch,
  ExamsFound,
} from './schemas/exam.ts';
import type { Deleted } from './schemas/primitives.ts';
import type { QuestionResult, Result, ResultList } from './schemas/result.ts';
import type { Approve, Finalize, Finalized, MarkOverride, Unfinalize } from './schemas/review.ts';
import type { ReEvaluate, Submission, SubmissionCreate, SubmissionList } from './schemas/submission.ts';
import type { Upload, UploadsCreate, UploadsCreated } from './schemas/upload.ts';

/**
 * Examples for openapi.json, which describe one typed physics exam with one candidate. TypeScript checks each example
 * against its type, and a test parses each with its schema.
 */

const EXAM_ID = '0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11';
const CANDIDATE_ID = '7c3e4f50-6172-4d8e-8f90-1b2c3d4e5f60';
const SUBMISSION_ID = '8d4f5061-7283-4e9f-9001-2c3d4e5f6071';
const UPLOAD_ID = '9e506172-8394-4fa0-a112-3d4e5f607182';
const REGISTRATION_ID = 'e3a5b6c7-d8e9-44f5-a667-8293a4b5c6d7';

const examCreate: ExamCreate = {
  title: 'Physics, unit 3',
  mode: 'typed',
  external_ref: 'physics-unit-3-2026',
  conducted_on: '2026-02-14',
  subject: 'Physics',
  open: true,
  questions: questionInputs,
  candidates: [{ external_id: 'S-1042', name: 'Asha Rao', roll_number: '17' }],
};

const examAnswer: Exam = {
  id: EXAM_ID,
  status: 'open',
  title: 'Physics, unit 3',
  mode: 'typed',
  external_ref: 'physics-unit-3-2026',
  conducted_on: '2026-02-14',
  subject: 'Physics',
  level: 'school',
  board: null,
  class: null,
  instructions: null,
  answer_language: 'en',
  feedback_language: 'en',
  blind: false,
  sections: [{ name: 'A', order: 1 }],
  total_marks: 5,
  paper_max: 5,
  question_count: 2,
  dashboard_url: `https://dashboard.example/exams/${EXAM_ID}`,
  questions: [
    {
      id: MCQ_ID,
      label: '1',
      section: 'A',
      max_marks: 1,
      options: [
        { label: 'A', option_id: optionIds.A },
        { label: 'B', option_id: optionIds.B },
      ],
    },
    { id: ESSAY_ID, label: '2', section: 'A', max_marks: 4 },
  ],
  choice_groups: [],
  rubric: { version: 1, locked: false, questions_with_rubric: 1, questions_without_rubric: 0 },
  quote: { unit: 'answer', credits_per_page: 1, rate_source: 'standard' },
  warnings: [],
  created_at: '2026-02-14T06:00:00.000Z',
  updated_at: '2026-02-14T06:00:00.000Z',
};

const { questions: _questions, ...examListItem } = examAnswer;
const listedExam: ExamListItem = examListItem;

const submissionCreate: SubmissionCreate = {
  candidate: { external_id: 'S-1042' },
  answers: [
    { question_label: '1', option_labels: ['B'] },
    { question_label: '2', text: 'Force equals the rate of change of momentum.' },
  ],
  metadata: { attempt: 'first sitting' },
};

const submissionAnswer: Submission = {
  id: SUBMISSION_ID,
  exam_id: EXAM_ID,
  candidate: { id: CANDIDATE_ID, external_id: 'S-1042' },
  state: 'live',
  status: 'queued',
  lane: 'typed',
  pages: null,
  needs_review: false,
  review_reasons: [],
  finalized: false,
  finalized_at: null,
  progress: { step: 'queued', questions_done: 0, questions_total: 1 },
  queue: { position: 0, estimated_ready_at: '2026-02-14T06:31:00.000Z' },
  attempt_count: 1,
  rubric_version: null,
  credits_charged: null,
  error: null,
  metadata: { attempt: 'first sitting' },
  quote: { unit: 'answer', credits: 1, rate_source: 'standard' },
  warnings: [],
  created_at: '2026-02-14T06:30:00.000Z',
  updated_at: '2026-02-14T06:30:00.000Z',
};

const UNREVIEWED = {
  reviewer: { ref: null, name: null },
  reason: null,
  edited: false,
  edited_at: null,
  approved: false,
};

const essayResult: QuestionResult = {
  question_id: ESSAY_ID,
  label: '2',
  section: 'A',
  status: 'graded',
  counted: true,
  awarded: 2,
  max: 4,
  source: 'ai',
  confidence: 0.92,
  needs_review: false,
  review_reasons: [],
  extracted_answer: 'Force equals the rate of change of momentum.',
  feedback: 'The law is stated correctly. The unit of force is not derived.',
  criteria: [
    { name: 'Law', awarded: 2, max: 2, reason: 'States the law in full.' },
    { name: 'Unit', awarded: 0, max: 2, reason: 'The unit is missing.' },
  ],
  review: UNREVIEWED,
  error: null,
};

const result: Result = {
  submission_id: SUBMISSION_ID,
  exam_id: EXAM_ID,
  candidate: { id: CANDIDATE_ID, external_id: 'S-1042', name: 'Asha Rao', roll_number: '17' },
  status: 'graded',
  needs_review: false,
  review_reasons: [],
  finalized: false,
  finalized_at: null,
  rubric_version: 1,
  totals: { awarded: 3, max: 5, percentage: 60, questions_graded: 2, questions_failed: 0 },
  questions: [
    {
      question_id: MCQ_ID,
      label: '1',
      section: 'A',
      status: 'graded',
      counted: true,
      awarded: 1,
      max: 1,
      source: 'auto',
      confidence: null,
      needs_review: false,
      review_reasons: [],
      extracted_answer: 'B',
      feedback: null,
      criteria: [],
      review: UNREVIEWED,
      error: null,
    },
    essayResult,
  ],
  checked_copy: { available: false, download_path: null },
  graded_at: '2026-02-14T06:30:41.000Z',
  credits_charged: 1,
  error: null,
};

const markOverride: MarkOverride = {
  reviewer: 'T-07',
  awarded: 3.5,
  reason: 'The unit is derived on the last line.',
};

const overridden: QuestionResult = {
  ...essayResult,
  awarded: 3.5,
  source: 'ai_reviewed',
  review: {
    reviewer: { ref: 'T-07', name: null },
    reason: 'The unit is derived on the last line.',
    edited: true,
    edited_at: '2026-02-14T07:10:00.000Z',
    approved: false,
  },
};

const finalized: Finalized = { skipped: [{ submission_id: SUBMISSION_ID, reason: 'not_graded' }] };

const account: Account = {
  institute: { id: 'c18394a5-b6c7-42d3-8445-60718293a4b5', name: 'Hill View School' },
  scopes: ['evaluation:read', 'evaluation:write'],
  rate_tier: 'standard',
  daily_copy_quota: 2000,
  daily_copy_cap: null,
  quota_used_today: 41,
  quota_resets_at: '2026-02-15T00:00:00.000Z',
};

const candidatesCreate: CandidatesCreate = {
  candidates: [{ external_id: 'S-1042', name: 'Asha Rao', roll_number: '17', section_or_class: '12-B' }],
};

const candidateAnswer: Candidate = {
  id: CANDIDATE_ID,
  external_id: 'S-1042',
  name: 'Asha Rao',
  roll_number: '17',
  section_or_class: '12-B',
  metadata: null,
  created_at: '2026-02-14T05:50:00.000Z',
  updated_at: '2026-02-14T05:50:00.000Z',
};

const candidatesCreated: CandidatesCreated = {
  candidates: [{ id: CANDIDATE_ID, external_id: 'S-1042', created: true }],
};

const candidatesRegistered: CandidatesRegistered = {
  registered: 1,
  already_registered: 0,
  candidates: [{ id: CANDIDATE_ID, external_id: 'S-1042', registration_id: REGISTRATION_ID }],
};

const registeredList: RegisteredCandidateList = {
  data: [
    {
      ...candidateAnswer,
      updated_at: '2026-02-14T06:30:00.000Z',
      registration_id: REGISTRATION_ID,
      submission_id: SUBMISSION_ID,
      submission_status: 'queued',
    },
  ],
  next_cursor: null,
  has_more: false,
};

const uploadsCreate: UploadsCreate = {
  files: [{ file_name: 'S-1042.pdf', content_type: 'application/pdf', size_bytes: 4_194_304 }],
};

const uploadsCreated: UploadsCreated = {
  uploads: [
    {
      id: UPLOAD_ID,
      upload_url: 'https://storage.example/copies/S-1042?signature=…',
      headers: { 'content-type': 'application/pdf', 'content-length': '4194304' },
      status: 'pending',
    },
  ],
};

const deleted: Deleted = { id: EXAM_ID, deleted: true };

const credits: Credits = {
  balance: 182.5,
  committed: 12,
  available: 170.5,
  rate_card: {
    page: { unit: 'page', credits_per_page: 1, rate_source: 'standard' },
    answer: { unit: 'answer', credits_per_page: 0.5, rate_source: 'contract' },
  },
  spent_30d: 317.5,
};

export const examples: Readonly<Record<string, object>> = {
  Account: account,
  Approve: { reviewer: 'T-07' } satisfies Approve,
  Candidate: candidateAnswer,
  CandidateSearch: { external_ids: ['S-1042', 'S-1043'] } satisfies CandidateSearch,
  CandidatesCreate: candidatesCreate,
  CandidatesCreated: candidatesCreated,
  CandidatesFound: { data: [candidateAnswer] } satisfies CandidatesFound,
  CandidatesRegister: { candidate_ids: [CANDIDATE_ID] } satisfies CandidatesRegister,
  CandidatesRegistered: candidatesRegistered,
  CreditQuote: { total: 12, available: 170.5, sufficient: true } satisfies CreditQuote,
  CreditQuoteRequest: { upload_ids: [UPLOAD_ID] } satisfies CreditQuoteRequest,
  Credits: credits,
  Deleted: deleted,
  Exam: examAnswer,
  ExamCreate: examCreate,
  ExamEdit: { title: 'Physics, unit 3 (resit)', board: null } satisfies ExamEdit,
  ExamList: { data: [listedExam], next_cursor: null, has_more: false } satisfies ExamList,
  ExamSearch: { external_ref: 'physics-unit-3-2026' } satisfies ExamSearch,
  ExamsFound: { data: [listedExam] } satisfies ExamsFound,
  Finalize: { submission_ids: [SUBMISSION_ID] } satisfies Finalize,
  Finalized: finalized,
  MarkOverride: markOverride,
  QuestionResult: overridden,
  ReEvaluate: { keep_overrides: false } satisfies ReEvaluate,
  RegisteredCandidateList: registeredList,
  Result: result,
  ResultList: { data: [result], next_cursor: null, has_more: false } satisfies ResultList,
  Submission: submissionAnswer,
  SubmissionCreate: submissionCreate,
  SubmissionList: { data: [submissionAnswer], next_cursor: null, has_more: false } satisfies SubmissionList,
  Unfinalize: { reason: 'A page was scanned upside down.' } satisfies Unfinalize,
  Upload: { id: UPLOAD_ID, status: 'ready', pages: 12 } satisfies Upload,
  UploadsCreate: uploadsCreate,
  UploadsCreated: uploadsCreated,
  ...questionExamples,
};

export const detailsExamples: Readonly<Partial<Record<ErrorCode, object>>> = {
  insufficient_credits: { required: 12, available: 5, balance: 20, credit_limit: 0, committed: 15 },
  insufficient_scope: { required_scope: 'evaluation:write' },
  candidate_not_found: { candidate_ids: [CANDIDATE_ID] },
  exam_exists: { exam_id: EXAM_ID },
  submission_exists: { submission_id: SUBMISSION_ID },
  validation_failed: {
    errors: [{ field: 'questions[0].max_marks', code: 'invalid_step', message: 'Marks go in steps of 0.5.' }],
  },
  language_not_supported: { question_label: '2' },
  daily_quota_exceeded: { quota: 'daily_copy_quota', limit: 2000, resets_at: '2026-02-15T00:00:00.000Z' },
};
