import { randomUUID } from 'node:crypto';
import { contract, type RouteMetadata } from '@evaluation/rest-contract';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, submit, uploadCopy, type ApiClient } from './api.ts';
import { newCandidates, register } from './candidates.ts';
import { handwrittenExam, longAnswer, mcq, typedExam } from './papers.ts';
import { plainPdf, untilInspected } from './pdfs.ts';

/*
 * Every endpoint of the contract with a request that succeeds, for tests over all endpoints
 * (docs/api/me.md#authentication). A new endpoint needs one line in `fixtures`; these tests fail until it has one.
 */

/** One object of each kind with an id. An object that an entry changes or deletes is used by that entry only. */
export interface OwnedObjects {
  /** Typed and open, with the submissions below, and a registered candidate without a submission. */
  exam: Exam;
  graded: Submission;
  queued: Submission;
  toFinalize: Submission;
  finalized: Submission;
  toRemove: Submission;
  /** Handwritten and open, without submissions. */
  written: Exam;
  /** Inspected, and used by no submission. */
  uploadId: string;
  /** Drafts; `draft` has two questions, the second a long answer. */
  draft: Exam;
  toOpen: Exam;
  toDelete: Exam;
  candidateId: string;
  externalId: string;
  registeredId: string;
}

export const newOwnedObjects = async (api: ApiClient): Promise<OwnedObjects> => {
  const paper = () => typedExam([mcq('1'), longAnswer('2')], { external_ref: randomUUID() });
  const draft = () => createExam(api, { ...paper(), open: false });
  const exam = await createExam(api, paper());
  const externalId = randomUUID();
  const [candidateId = '', registeredId = ''] = await newCandidates(api, externalId, randomUUID());
  await register(api, exam.id, { candidate_ids: [registeredId] });
  const answered = (...answers: object[]) =>
    submit(api, exam.id, { candidate: { external_id: randomUUID(), name: 'Secret Name' }, answers });
  const finalized = await answered({ question_label: '1', option_labels: ['B'] });
  await api.post(`/exams/${exam.id}/finalize`, { submission_ids: [finalized.id] });
  const uploadId = await uploadCopy(api, plainPdf(1));
  await untilInspected(api, uploadId);
  return {
    exam,
    graded: await answered({ question_label: '1', option_labels: ['B'] }),
    queued: await answered({ question_label: '2', text: 'Because of this.' }),
    toFinalize: await answered({ question_label: '1', option_labels: ['B'] }),
    finalized,
    toRemove: await answered({ question_label: '2', text: 'Because of that.' }),
    written: await createExam(api, handwrittenExam({ external_ref: randomUUID() })),
    uploadId,
    draft: await draft(),
    toOpen: await draft(),
    toDelete: await draft(),
    candidateId,
    externalId,
    registeredId,
  };
};

export interface Call {
  params?: Record<string, string>;
  body?: unknown;
}

interface Fixture {
  /** A request that succeeds once for the institute that owns the objects. */
  call: (own: OwnedObjects) => Call;
  /** Status of the owner's answer, if it is not a success: the object does not exist for the owner either. */
  ownerStatus?: number;
  /** By field of the body that takes an id: an id of another institute, and a request valid but for that id. */
  inBody?: Record<
    string,
    { idOf: (other: OwnedObjects) => string; call: (own: OwnedObjects, id: string) => Call }
  >;
}

const answers = (own: OwnedObjects) => ({
  params: { examId: own.exam.id },
  body: { candidate: { external_id: 'probe' }, answers: [] },
});
const inDraft = (own: OwnedObjects, question: 0 | 1) => ({
  examId: own.draft.id,
  questionId: questionOf(own.draft, question),
});
const questionOf = (exam: Exam, at: number): string => exam.questions[at]?.id ?? '';

const ofSubmission = (own: OwnedObjects): Call => ({ params: { submissionId: own.graded.id } });

const ofExam = (own: OwnedObjects): Call => ({ params: { examId: own.exam.id } });

const finalizing = (own: OwnedObjects, id: string): Call => ({
  ...ofExam(own),
  body: { submission_ids: [id] },
});

const registering = (own: OwnedObjects, candidateId: string): Call => ({
  ...ofExam(own),
  body: { candidate_ids: [candidateId] },
});

const fixtures: Record<string, Fixture> = {
  'account.me': { call: () => ({}) },
  'exams.create': { call: () => ({ body: typedExam([mcq('1')]) }) },
  'exams.list': { call: () => ({}) },
  'exams.search': {
    call: (own) => ({ body: { external_ref: own.exam.external_ref } }),
    inBody: {
      external_ref: {
        idOf: (other) => other.exam.external_ref ?? '',
        call: (_own, external_ref) => ({ body: { external_ref } }),
      },
    },
  },
  'exams.get': { call: ofExam },
  'exams.edit': { call: (own) => ({ params: { examId: own.draft.id }, body: { subject: 'Physics' } }) },
  'exams.delete': { call: (own) => ({ params: { examId: own.toDelete.id } }) },
  'exams.open': { call: (own) => ({ params: { examId: own.toOpen.id }, body: {} }) },
  'exams.finalize': {
    call: (own) => finalizing(own, own.toFinalize.id),
    inBody: { submission_ids: { idOf: (other) => other.toFinalize.id, call: finalizing } },
  },
  'questions.list': { call: ofExam },
  'questions.add': {
    call: (own) => ({ params: { examId: own.draft.id }, body: { questions: [mcq('3')] } }),
  },
  'questions.edit': { call: (own) => ({ params: inDraft(own, 1), body: { text: 'Explain it again.' } }) },
  'questions.delete': { call: (own) => ({ params: inDraft(own, 0) }) },
  'rubrics.list': { call: ofExam },
  'rubrics.edit': {
    call: (own) => rubricOf(own, questionOf(own.exam, 1)),
    inBody: {
      questions: { idOf: (other) => questionOf(other.exam, 1), call: (own, id) => rubricOf(own, id) },
    },
  },
  'candidates.create': { call: () => ({ body: { candidates: [{ external_id: 'probe' }] } }) },
  'candidates.search': {
    call: (own) => ({ body: { external_ids: [own.externalId] } }),
    inBody: {
      external_ids: {
        idOf: (other) => other.externalId,
        call: (_own, id) => ({ body: { external_ids: [id] } }),
      },
    },
  },
  'candidates.get': { call: (own) => ({ params: { candidateId: own.candidateId } }) },
  'candidates.register': {
    call: (own) => registering(own, own.candidateId),
    inBody: { candidate_ids: { idOf: (other) => other.candidateId, call: registering } },
  },
  'candidates.listRegistered': { call: ofExam },
  'candidates.unregister': {
    call: (own) => ({ params: { examId: own.exam.id, candidateId: own.registeredId } }),
  },
  'uploads.create': {
    call: () => ({
      body: { files: [{ file_name: 'a.pdf', content_type: 'application/pdf', size_bytes: 9 }] },
    }),
  },
  'uploads.get': { call: (own) => ({ params: { uploadId: own.uploadId } }) },
  'credits.get': { call: () => ({}) },
  'credits.quote': {
    call: (own) => ({ body: { upload_ids: [own.uploadId] } }),
    inBody: {
      upload_ids: {
        idOf: (other) => other.uploadId,
        call: (_own, id) => ({ body: { upload_ids: [id] } }),
      },
    },
  },
  'submissions.create': {
    call: answers,
    inBody: {
      candidate_id: {
        idOf: (other) => other.candidateId,
        call: (own, candidate_id) => ({ ...answers(own), body: { candidate_id, answers: [] } }),
      },
      upload_id: {
        idOf: (other) => other.uploadId,
        call: (own, upload_id) => ({
          params: { examId: own.written.id },
          body: { candidate: { external_id: 'probe' }, upload_id },
        }),
      },
      question_id: {
        idOf: (other) => questionOf(other.exam, 0),
        call: (own, question_id) => ({
          ...answers(own),
          body: { candidate: { external_id: 'probe' }, answers: [{ question_id, option_labels: ['B'] }] },
        }),
      },
    },
  },
  'submissions.feed': { call: () => ({}) },
  'submissions.get': { call: ofSubmission },
  'submissions.listOfExam': { call: ofExam },
  'submissions.cancel': { call: (own) => ({ params: { submissionId: own.queued.id } }) },
  'submissions.delete': { call: (own) => ({ params: { submissionId: own.toRemove.id } }) },
  'submissions.reEvaluate': { call: (own) => ({ ...ofSubmission(own), body: {} }) },
  'submissions.override': {
    call: (own) => ({
      params: { submissionId: own.graded.id, questionId: questionOf(own.exam, 0) },
      body: { reviewer: 'teacher', awarded: 0.5 },
    }),
  },
  'submissions.approve': { call: ofSubmission },
  'submissions.unfinalize': {
    call: (own) => ({ params: { submissionId: own.finalized.id }, body: { reason: 'A page was missed.' } }),
  },
  'submissions.resultsOfExam': { call: ofExam },
  'submissions.result': { call: ofSubmission },
  'submissions.checkedCopy': { call: ofSubmission, ownerStatus: 404 },
};

const rubricOf = (own: OwnedObjects, questionId: string): Call => ({
  ...ofExam(own),
  body: { questions: { [questionId]: { model_answer: 'Since it is so.' } } },
});

export interface Endpoint extends Fixture {
  /** `exams.create`: name in the contract, and operationId in openapi.json. */
  name: string;
  method: string;
  path: string;
  scope: RouteMetadata['scope'];
  success: number;
}

const routes = Object.entries(contract).flatMap(([tag, group]) =>
  Object.entries(group).map(([route, { method, path, metadata, responses }]) => ({
    name: `${tag}.${route}`,
    method,
    path,
    scope: metadata.scope,
    success: Math.min(...Object.keys(responses).map(Number)),
  })),
);

/** All endpoints. @throws Error naming endpoints without an entry above, and entries without endpoint */
export const everyEndpoint = (): Endpoint[] => {
  const named = new Set(routes.map(({ name }) => name));
  const missing = [...named].filter((name) => !(name in fixtures));
  const stale = Object.keys(fixtures).filter((name) => !named.has(name));
  if (missing.length > 0 || stale.length > 0) {
    throw new Error(
      `fixtures of tests/harness/endpoints.ts: missing [${missing.join()}], of no endpoint [${stale.join()}]`,
    );
  }
  return routes.flatMap((route) => {
    const fixture = fixtures[route.name];
    return fixture === undefined ? [] : [{ ...route, ...fixture }];
  });
};

export const paramsOf = ({ path }: Endpoint): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

/** Sends a request to an endpoint with these headers and no others of the test. */
export const send = (
  baseUrl: string,
  { method, path }: Endpoint,
  { params = {}, body }: Call,
  headers: Record<string, string>,
): Promise<Response> =>
  fetch(
    `${baseUrl}${path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? 'none'))}`,
    {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  );
