import { randomUUID } from 'node:crypto';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { createExam, submit, type ApiClient } from '../../../tests/harness/api.ts';
import { newOwnedObjects, type OwnedObjects } from '../../../tests/harness/endpoints.ts';
import { longAnswer, typedExam } from '../../../tests/harness/papers.ts';
import { FOREIGN } from './check.ts';

/** The institute that sends the requests, with objects of each kind, and another one whose data it must never see. */
export interface Institutes {
  api: ApiClient;
  reader: ApiClient;
  own: OwnedObjects;
  foreign: OwnedObjects;
  /** A graded copy with a checked copy, which no request changes; null: there is none. */
  copied: Submission | null;
  /** Makes new objects, since requests have changed and deleted the earlier ones. */
  renew(): Promise<void>;
}

export const openInstitutes = async (clients: {
  api: ApiClient;
  reader: ApiClient;
  other: ApiClient;
  copied?: Submission;
}): Promise<Institutes> => {
  const institutes: Institutes = {
    api: clients.api,
    reader: clients.reader,
    own: await newOwnedObjects(clients.api),
    foreign: await markedObjects(clients.other),
    copied: clients.copied ?? null,
    renew: async () => {
      institutes.own = await newOwnedObjects(clients.api);
    },
  };
  return institutes;
};

/** Objects of the other institute, one with the marker in each text that an answer could show. */
const markedObjects = async (api: ApiClient): Promise<OwnedObjects> => {
  const objects = await newOwnedObjects(api);
  const exam: Exam = await createExam(
    api,
    typedExam([longAnswer('1', { text: FOREIGN, model_answer: FOREIGN })], {
      title: FOREIGN,
      subject: FOREIGN,
      instructions: FOREIGN,
      external_ref: `${FOREIGN} ${randomUUID()}`,
    }),
  );
  const graded = await submit(api, exam.id, {
    candidate: { external_id: `${FOREIGN} ${randomUUID()}`, name: FOREIGN, metadata: { note: FOREIGN } },
    answers: [{ question_label: '1', text: FOREIGN }],
    metadata: { note: FOREIGN },
  });
  return { ...objects, exam, graded, queued: graded, candidateId: graded.candidate.id };
};
