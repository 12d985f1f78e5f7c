import { copyPdf, copyTruth, examBody } from '../../tests/fixtures/fixtures.ts';
import { apiClient, createExam, resultOf, submit, untilOver, uploadCopy } from '../../tests/harness/api.ts';
import { truthFor } from '../../tests/harness/perfectReader.ts';
import type { PodRun } from './nodes/podRun.ts';
import type { Stage } from './stage.ts';

interface Institute {
  id: string;
  apiKey: string;
}

/** Creates an institute and a key with core's own command, as the notes of the chart say. */
export const provision = async (core: PodRun | undefined): Promise<Institute> => {
  const admin = async (...args: string[]): Promise<Record<string, string>> => {
    if (core === undefined) throw new Error('no pod of core');
    const { code, stdout, stderr } = await core.exec(['admin.js', ...args, '--json']);
    if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
  const { institute_id: id = '' } = await admin(
    'institute',
    'create',
    '--name',
    'School',
    '--credits',
    '100000',
  );
  const scopes = ['read', 'write', 'review', 'finalize'].map((scope) => `evaluation:${scope}`).join();
  const { api_key: apiKey = '' } = await admin('key', 'create', '--institute', id, '--scopes', scopes);
  return { id, apiKey };
};

/** Uploads a scanned copy, waits for its marks and fetches the checked copy. @returns what differs from the truth */
export const gradeCopy = async ({ url, servers }: Stage, apiKey: string): Promise<string[]> => {
  const truth = copyTruth('weak');
  servers.model.know(truthFor(truth));
  const api = apiClient(`${url()}/v1`, apiKey);
  const exam = await createExam(api, examBody('science'));
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: 'written' },
    upload_id: await uploadCopy(api, copyPdf('weak')),
  });
  await untilOver(api, id);
  const { status, totals } = await resultOf(api, id);
  const expected = truth.questions.reduce((sum, { awarded }) => sum + awarded, 0);
  const wrong =
    status === 'graded' && totals?.awarded === expected ? [] : [`${status}, ${JSON.stringify(totals)}`];
  const checked = await api.download(`/submissions/${id}/checked-copy`);
  if (Buffer.from(checked.subarray(0, 5)).toString() !== '%PDF-') wrong.push('no checked copy');
  return wrong.map((what) => `the copy: ${what}, and ${expected} marks were expected`);
};
