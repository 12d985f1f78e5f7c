import { randomUUID } from 'node:crypto';

/** Ids of one institute's resources. */
export interface Ids {
  exam: string;
  question: string;
  submission: string;
  candidate: string;
  upload: string;
  staff: string;
  session: string;
  key: string;
}

/** Ids of nothing. */
export const newIds = (): Ids => ({
  exam: randomUUID(),
  question: randomUUID(),
  submission: randomUUID(),
  candidate: randomUUID(),
  upload: randomUUID(),
  staff: randomUUID(),
  session: randomUUID(),
  key: randomUUID(),
});

/**
 * An input for each procedure that staff may call, with ids in each place that takes one. Bodies are valid, so that a
 * call gets as far as the look-up of its ids.
 */
export const INPUTS: Readonly<Record<string, (ids: Ids) => unknown>> = {
  'credits.get': () => undefined,
  'credits.quote': ({ upload }) => ({ body: { upload_ids: [upload] } }),

  'exams.create': () => ({ body: { title: 'Exam', mode: 'typed', conducted_on: '2026-01-31' } }),
  'exams.get': ({ exam }) => ({ exam_id: exam }),
  'exams.list': () => ({ query: {} }),
  'exams.search': () => ({ body: { external_refs: ['exam-1'] } }),
  'exams.edit': ({ exam }) => ({ exam_id: exam, body: { title: 'Other' } }),
  'exams.delete': ({ exam }) => ({ exam_id: exam }),
  'exams.open': ({ exam }) => ({ exam_id: exam, body: {} }),
  'exams.finalize': ({ exam }) => ({ exam_id: exam, body: { all_graded: true } }),

  'candidates.create': () => ({ body: { candidates: [{ external_id: 'c-1' }] } }),
  'candidates.search': () => ({ body: { external_ids: ['candidate-1'] } }),
  'candidates.get': ({ candidate }) => ({ candidate_id: candidate }),
  'candidates.register': ({ exam, candidate }) => ({
    exam_id: exam,
    body: { candidates: [{ candidate_id: candidate }] },
  }),
  'candidates.listRegistered': ({ exam }) => ({ exam_id: exam, query: {} }),
  'candidates.unregister': ({ exam, candidate }) => ({ exam_id: exam, candidate_id: candidate }),

  'questions.list': ({ exam }) => ({ exam_id: exam, query: {} }),
  'questions.add': ({ exam }) => ({
    exam_id: exam,
    body: { questions: [{ label: '9', type: 'long_answer', text: 'Why?', max_marks: 2 }] },
  }),
  'questions.edit': ({ exam, question }) => ({
    exam_id: exam,
    question_id: question,
    body: { text: 'How?' },
  }),
  'questions.delete': ({ exam, question }) => ({ exam_id: exam, question_id: question }),

  'rubrics.list': ({ exam }) => ({ exam_id: exam }),
  'rubrics.edit': ({ exam, question }) => ({
    exam_id: exam,
    body: { rubrics: [{ question_id: question, model_answer: 'Because.' }] },
  }),

  'uploads.create': () => ({
    body: { files: [{ file_name: 'a.pdf', content_type: 'application/pdf', size_bytes: 1000 }] },
  }),
  'uploads.get': ({ upload }) => ({ upload_id: upload }),

  'submissions.create': ({ exam, candidate }) => ({
    exam_id: exam,
    body: { candidate: { candidate_id: candidate }, answers: [] },
  }),
  'submissions.feed': () => ({ query: {} }),
  'submissions.get': ({ submission }) => ({ submission_id: submission }),
  'submissions.listOfExam': ({ exam }) => ({ exam_id: exam, query: {} }),
  'submissions.cancel': ({ submission }) => ({ submission_id: submission }),
  'submissions.delete': ({ submission }) => ({ submission_id: submission }),
  'submissions.reEvaluate': ({ submission }) => ({ submission_id: submission, body: {} }),
  'submissions.result': ({ submission }) => ({ submission_id: submission, query: {} }),
  'submissions.override': ({ submission, question }) => ({
    submission_id: submission,
    question_id: question,
    body: { reviewer: 'r', awarded: 1 },
  }),
  'submissions.approve': ({ submission }) => ({ submission_id: submission, body: { reviewer: 'r' } }),
  'submissions.unfinalize': ({ submission }) => ({
    submission_id: submission,
    body: { reviewer: 'r', reason: 'A mistake.' },
  }),
  'submissions.resultsOfExam': ({ exam }) => ({ exam_id: exam, query: {} }),
  'submissions.checkedCopy': ({ submission }) => ({ submission_id: submission }),

  'guide.show': ({ exam }) => ({ exam_id: exam }),
  'guide.set': ({ exam }) => ({ exam_id: exam, mode: 'apply' }),
  'guide.suggestions': ({ exam, question }) => ({ exam_id: exam, question_id: question }),
  'guide.preview': ({ exam }) => ({ exam_id: exam }),
  'guide.applyPreview': ({ exam }) => ({ exam_id: exam, number: 1 }),
  'guide.undo': ({ exam }) => ({ exam_id: exam, number: 1 }),

  'marking.next': ({ exam, question }) => ({ exam_id: exam, question_id: question }),
  'marking.groups': ({ exam, question }) => ({ exam_id: exam, question_id: question }),
  'marking.markGroup': ({ exam, question, submission }) => ({
    exam_id: exam,
    question_id: question,
    submission_ids: [submission],
    body: { reviewer: 'r', awarded: 1 },
  }),

  'regrade.preview': ({ exam }) => ({ exam_id: exam }),
  'regrade.outdated': ({ exam }) => ({ exam_id: exam }),
  'regrade.start': ({ exam }) => ({ exam_id: exam, rubric_version: 1 }),
  'regrade.restore': ({ submission }) => ({ submission_id: submission }),

  'desk.people.list': () => ({}),
  'desk.people.invite': () => ({ email: 'new@example.org', name: 'New', role: 'examiner' }),
  'desk.people.changeRole': ({ staff }) => ({ staff_id: staff, role: 'admin' }),
  'desk.people.disable': ({ staff }) => ({ staff_id: staff }),
  'desk.people.enable': ({ staff }) => ({ staff_id: staff }),
  'desk.people.resetPassword': ({ staff }) => ({ staff_id: staff }),
  'desk.people.sessions': ({ staff }) => ({ staff_id: staff }),
  'desk.people.endSession': ({ staff, session }) => ({ staff_id: staff, session_id: session }),
  'desk.people.mySessions': () => undefined,
  'desk.people.endMySession': ({ session }) => ({ session_id: session }),
  'desk.people.endMyOtherSessions': () => ({ session_id: '00000000-0000-4000-8000-000000000000' }),
  'desk.people.changePassword': ({ session }) => ({
    current: 'correct horse battery',
    next: 'another long password',
    session_id: session,
  }),

  'desk.exams.list': () => ({}),
  'desk.exams.overview': ({ exam }) => ({ exam_id: exam }),
  'desk.exams.markBook': ({ exam }) => ({ exam_id: exam }),
  'desk.exams.form': ({ exam }) => ({ exam_id: exam }),
  'desk.exams.createSample': () => ({ body: {} }),
  'desk.uploads.create': () => ({ body: {} }),
  'desk.uploads.headings': () => ({ upload_ids: [] }),
  'desk.exams.save': ({ exam }) => ({ exam_id: exam, seen: '', body: {} }),

  'desk.marking.screen': ({ submission }) => ({ submission_id: submission }),
  'desk.marking.order': ({ exam }) => ({ exam_id: exam, by: 'copy' }),
  'desk.marking.progress': ({ exam }) => ({ exam_id: exam }),
  'desk.marking.shares': ({ exam }) => ({ exam_id: exam }),
  'desk.marking.share': ({ exam }) => ({ exam_id: exam, seen: null, sharing: { by: 'none' } }),
  'desk.marking.remarks': ({ exam, question }) => ({ exam_id: exam, question_id: question }),
  'desk.marking.next': ({ exam, question }) => ({ exam_id: exam, question_id: question }),
  'desk.marking.changes': ({ submission, question }) => ({
    submission_id: submission,
    question_id: question,
  }),
  'desk.marking.withdraw': ({ submission, question }) => ({
    submission_id: submission,
    question_id: question,
    seen: { awarded: 1, edited_at: null, approved: false },
  }),
  'desk.marking.unapprove': ({ submission }) => ({ submission_id: submission, seen_marks_revision: 1 }),
  'desk.marking.flag': ({ submission, question }) => ({
    submission_id: submission,
    question_id: question,
    flagged: true,
  }),
  'desk.marking.ink': ({ submission }) => ({ submission_id: submission, add: [], remove: [] }),
  'desk.marking.keepOpen': ({ submission }) => ({ submission_id: submission }),

  'desk.review.queue': ({ exam }) => ({ exam_id: exam }),
  'desk.review.counts': () => undefined,
  'desk.review.checklist': ({ exam }) => ({ exam_id: exam }),
  'desk.review.pages': ({ submission }) => ({ submission_id: submission }),

  'desk.statistics.agreement': ({ exam }) => ({ exam_id: exam }),
  'desk.statistics.distribution': ({ exam }) => ({ exam_id: exam }),
  'desk.statistics.people': ({ exam }) => ({ exam_id: exam }),
  'desk.statistics.learning': ({ exam, question }) => ({ exam_id: exam, question_id: question }),
  'desk.statistics.marks': ({ exam }) => ({ exam_id: exam }),

  'desk.keys.list': () => ({}),
  'desk.keys.create': () => ({ scopes: ['evaluation:read'] }),
  'desk.keys.edit': ({ key }) => ({ key_id: key, daily_copy_cap: 1 }),
  'desk.keys.revoke': ({ key }) => ({ key_id: key }),

  'desk.credits.history': () => ({}),
  'desk.credits.spending': () => ({}),

  'desk.audit.list': () => ({}),

  'desk.settings.show': () => undefined,
  'desk.people.myPasskeys': () => undefined,
  'desk.people.passkeyOptions': () => ({ origin: 'https://desk.example.org' }),
  'desk.people.addPasskey': () => ({
    origin: 'https://desk.example.org',
    challenge: 'none',
    name: 'Phone',
    response: {
      id: 'AAAA',
      rawId: 'AAAA',
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
    },
  }),
  'desk.people.removePasskey': () => ({ id: 'AAAA' }),
  'desk.exams.examiners': ({ exam }) => ({ exam_id: exam }),
  'desk.exams.assign': ({ exam, staff }) => ({ exam_id: exam, staff_ids: [staff] }),
  'desk.settings.change': () => ({ blind: false, guide_target: 0.95, seen: 0 }),
  'desk.settings.changeRetention': () => ({
    files_days: null,
    evidence_days: null,
    readings_days: null,
    seen: 1,
  }),
};
