import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { Submission } from '@evaluation/rest-contract/schemas';
import { copyPdf, examBody } from '../../../tests/fixtures/fixtures.ts';
import { createExam, resultOf, submit, uploadCopy, type ApiClient } from '../../../tests/harness/api.ts';
import { longAnswer, typedExam } from '../../../tests/harness/papers.ts';

export interface Graded {
  status: string;
  awarded: number | null;
  credits: number | null;
}

const OVER = new Set(['graded', 'partially_graded', 'failed', 'cancelled']);
const LONGEST_MS = 600_000;

export interface Grading {
  /** Submits the copy. @returns the id of its submission, once `state` is true for it */
  submitCopy(state?: (status: string) => boolean): Promise<string>;
  submitTyped(): Promise<string>;
  /** Waits until it is graded, while parts of the service may be away. */
  outcome(id: string): Promise<Graded>;
}

export const startGrading = async (api: ApiClient): Promise<Grading> => {
  const science = await createExam(api, examBody('science'));
  const typed = await createExam(api, typedExam([longAnswer('1')]));
  /** Reads the submission until `isRight`; a refused or broken request is repeated. */
  const until = async (id: string, isRight: (status: string) => boolean): Promise<void> => {
    const deadline = performance.now() + LONGEST_MS;
    for (let last = ''; performance.now() < deadline; await wait(100)) {
      const answer = await api.get<Submission>(`/submissions/${id}`).catch(() => null);
      if (answer?.status !== 200) continue;
      last = answer.body.status;
      if (isRight(last)) return;
      if (OVER.has(last)) throw new Error(`submission ${id} is ${last} already`);
    }
    throw new Error(`submission ${id} does not get on`);
  };
  return {
    submitCopy: async (state = () => true) => {
      const upload_id = await uploadCopy(api, copyPdf('strong'));
      const { id } = await submit(api, science.id, { candidate: { external_id: randomUUID() }, upload_id });
      await until(id, state);
      return id;
    },
    submitTyped: async () => {
      const answers = [{ question_label: '1', text: 'Because of this, and because of that.' }];
      return (await submit(api, typed.id, { candidate: { external_id: randomUUID() }, answers })).id;
    },
    outcome: async (id) => {
      await until(id, (status) => OVER.has(status));
      const { status, totals, credits_charged: credits } = await resultOf(api, id);
      return { status, awarded: totals?.awarded ?? null, credits };
    },
  };
};

/** @returns the checked copy is a PDF */
export const hasCheckedCopy = async (api: ApiClient, id: string): Promise<boolean> => {
  const deadline = performance.now() + LONGEST_MS;
  while (performance.now() < deadline) {
    const bytes = await api.download(`/submissions/${id}/checked-copy`);
    if (Buffer.from(bytes.subarray(0, 5)).toString() === '%PDF-') return true;
    await wait(200);
  }
  return false;
};
