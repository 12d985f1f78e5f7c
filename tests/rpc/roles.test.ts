import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { ROLES, ROLES_OF_PROCEDURE, type Role } from '@evaluation/core/roles';
import { signActor, staffActor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { createExam, submit } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, mcq, typedExam } from '../harness/papers.ts';
import { presign } from '../harness/pdfs.ts';
import { restSuite } from '../harness/restSuite.ts';
import { installationOf } from '../harness/staff.ts';
import { newTestExam } from '../harness/testExam.ts';
import { INPUTS, newIds, type Ids } from './roleInputs.ts';

/* Each cell of procedure × role × foreign institute (docs/desk/roles.md). */

const { service, tenant } = await restSuite();
const installation = await installationOf(service);
const { core_url: coreUrl, tokens, actor_signing_key: signingKey } = installation;

const Envelope = z.object({
  result: z.object({ data: z.unknown() }).optional(),
  error: z
    .object({
      data: z.object({ code: z.string(), failure: z.object({ code: z.string() }).nullable().optional() }),
    })
    .optional(),
});

/**
 * A call as the desk's server sends it, with JSON as the browser sent it. @returns the failure's code, or the answer
 */
const post = async (
  path: string,
  text: string | undefined,
  role: string,
  instituteId = tenant.instituteId,
) => {
  const actor = staffActor({
    institute_id: instituteId,
    staff_id: randomUUID(),
    role,
    scopes: ['evaluation:read', 'evaluation:write', 'evaluation:review'],
  });
  const response = await fetch(`${coreUrl}/public.${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${tokens.public}`,
      'x-actor': signActor(actor, signingKey),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const { result, error } = Envelope.parse(await response.json());
  return error === undefined
    ? { answer: result?.data }
    : { refusal: error.data.failure?.code ?? error.data.code };
};

const call = (path: string, input: unknown, role: string) => post(path, JSON.stringify(input), role);

const SignedIn = z.object({
  staff: z.object({ id: z.string(), institute_id: z.string(), role: z.string(), session_id: z.string() }),
});

/** A sign-in as the desk's server sends it, before an actor is known. */
const signIn = async (email: string, password: string) => {
  const response = await fetch(`${coreUrl}/public.desk.people.signIn`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.public}` },
    body: JSON.stringify({ email, password, address: '192.0.2.1', user_agent: 'test' }),
  });
  return SignedIn.parse(Envelope.parse(await response.json()).result?.data).staff;
};

/** Everything that ids can name, in another institute. */
const foreignIds = async (): Promise<Ids> => {
  const made = await newTestExam(service);
  const submission = await made.reach('graded');
  const { candidate } = await submission.read();
  const upload = await presign(made.tenant.api, 1000);
  const { control } = service.control.as({});
  const key = await control.createKey.mutate({ institute_id: made.tenant.instituteId });
  const [email, password] = [`${randomUUID()}@example.org`, 'correct horse battery'];
  const { staff } = await control.staff.invite.mutate({
    institute_id: made.tenant.instituteId,
    email,
    name: 'Stranger',
    role: 'examiner',
    password,
  });
  return {
    session: (await signIn(email, password)).session_id,
    key: key.key_id,
    exam: made.exam.id,
    question: made.questionId('2'),
    submission: submission.id,
    candidate: candidate.id,
    upload: upload.id,
    staff: staff.id,
  };
};

const foreign = await foreignIds();
const cells = Object.keys(ROLES_OF_PROCEDURE).flatMap((path) => ROLES.map((role) => ({ path, role })));
const isOpen = ({ path, role }: { path: string; role: Role }) =>
  ROLES_OF_PROCEDURE[path]?.includes(role) === true;

test.each(cells.filter((cell) => !isOpen(cell)))('$path refuses the role $role', async ({ path, role }) => {
  expect(await call(path, INPUTS[path]?.(foreign) ?? {}, role)).toEqual({ refusal: 'FORBIDDEN' });
});

test.each(cells.filter(isOpen))(
  '$path answers the role $role for ids of another institute as for missing ones',
  async ({ path, role }) => {
    const inputOf = INPUTS[path];
    if (inputOf === undefined) throw new Error(`tests/rpc/roleInputs.ts has no input for ${path}`);
    const [input, missing] = [inputOf(foreign), inputOf(newIds())];
    const outcome = await call(path, input, role);
    if (JSON.stringify(input) === JSON.stringify(missing)) {
      // The input has no id. The answer must not show anything of the other institute.
      for (const id of Object.values(foreign)) expect(JSON.stringify(outcome)).not.toContain(id);
      return;
    }
    expect(outcome).toEqual(await call(path, missing, role));
    expect(outcome).toEqual({ refusal: expect.stringMatching(/not_found$/) });
  },
);

const draft = await createExam(tenant.api, { ...typedExam([mcq('1'), longAnswer('2')]), open: false });
const draftIds: Ids = { ...newIds(), exam: draft.id, question: draft.questions[1]?.id ?? '' };

test.each(cells.filter((cell) => isOpen(cell) && cell.role === 'examiner'))(
  '$path answers an examiner for a draft as for an exam that does not exist',
  async ({ path, role }) => {
    const [input, missing] = [INPUTS[path]?.(draftIds), INPUTS[path]?.({ ...draftIds, exam: randomUUID() })];
    const outcome = await call(path, input, role);
    expect(JSON.stringify(outcome)).not.toContain(draft.id);
    if (JSON.stringify(input) !== JSON.stringify(missing))
      expect(outcome).toEqual(await call(path, missing, role));
  },
);

test('an admin reads the draft', async () => {
  const input = { exam_id: draft.id, query: {} };
  for (const path of ['exams.get', 'questions.list', 'desk.exams.overview'])
    expect(await call(path, INPUTS[path]?.(draftIds) ?? input, 'admin'), path).toHaveProperty('answer');
});

const unassigned = await newTestExam(service);
await behind(
  service.database,
  'insert into institute_settings (institute_id, assigned_only, changed_by) values ($1, true, $1)',
  [unassigned.tenant.instituteId],
);
const unassignedIds: Ids = {
  ...newIds(),
  exam: unassigned.exam.id,
  question: unassigned.questionId('2'),
  submission: (await unassigned.reach('graded')).id,
};

test.each(cells.filter((cell) => isOpen(cell) && cell.role === 'examiner'))(
  '$path answers an examiner for an exam that is not assigned as for one that does not exist',
  async ({ path, role }) => {
    const { instituteId } = unassigned.tenant;
    const answerTo = (ids: Ids) => post(path, JSON.stringify(INPUTS[path]?.(ids)), role, instituteId);
    const outcome = await answerTo(unassignedIds);
    expect(outcome).toEqual(
      await answerTo({ ...unassignedIds, exam: randomUUID(), submission: randomUUID() }),
    );
    for (const id of [unassignedIds.exam, unassignedIds.submission])
      expect(JSON.stringify(outcome)).not.toContain(id);
  },
);

/** A graded copy that needs a review, of a candidate with every field, on a blind exam. */
const newBlindCopy = async (): Promise<Ids> => {
  const { api } = tenant;
  const exam = await createExam(api, typedExam([mcq('1')], { blind: true }));
  const submission = await submit(api, exam.id, {
    candidate: {
      external_id: 'asha-external',
      name: 'Asha Rao',
      roll_number: 'ROLL-77',
      section_or_class: 'Section Q',
      metadata: { note: 'asha-metadata' },
    },
    answers: [{ question_label: '1', option_labels: ['A'] }],
    metadata: { student_name: 'copy-metadata' },
  });
  await behind(
    service.database,
    `update submissions set needs_review = true, review_reasons = array['low_confidence'] where id = $1`,
    [submission.id],
  );
  const { id: candidate } = submission.candidate;
  return {
    ...newIds(),
    exam: exam.id,
    question: exam.questions[0]?.id ?? '',
    submission: submission.id,
    candidate,
  };
};

const blind = await newBlindCopy();
const ABOUT_THE_CANDIDATE = [
  blind.candidate,
  'asha-external',
  'Asha Rao',
  'ROLL-77',
  'Section Q',
  'asha-metadata',
  'copy-metadata',
];

test.each(cells.filter((cell) => isOpen(cell) && cell.role === 'examiner'))(
  '$path tells an examiner nothing about the candidate of a blind exam',
  async ({ path, role }) => {
    const text = JSON.stringify(await call(path, INPUTS[path]?.(blind), role));
    for (const word of ABOUT_THE_CANDIDATE) expect(text).not.toContain(word);
  },
);

test.each(['submissions.get', 'submissions.result', 'desk.exams.markBook', 'candidates.listRegistered'])(
  '%s tells an admin all but the name',
  async (path) => {
    const text = JSON.stringify(await call(path, INPUTS[path]?.(blind), 'admin'));
    expect(text).toContain('asha-external');
    expect(text).not.toContain('Asha Rao');
  },
);

/** Copies of `input`, each with one text replaced by a text with NUL or half a surrogate pair. */
const withHostileTexts = (input: unknown): unknown[] => {
  if (typeof input === 'string') return ['\u0000', 'a\uD800'];
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) =>
    withHostileTexts(value).map((hostile) =>
      Array.isArray(input)
        ? input.map((item, index) => (String(index) === name ? hostile : item))
        : { ...input, [name]: hostile },
    ),
  );
};

/** Texts that `INPUTS` leaves out. */
const MORE_TEXTS: Readonly<Record<string, object>> = {
  'desk.exams.list': { search: 'physics' },
  'desk.exams.markBook': { exam_id: foreign.exam, show: 'all', search: 'Asha' },
  'desk.review.queue': { reason: 'low_confidence' },
  'desk.people.signIn': { email: 'a@example.org', password: 'x', address: '192.0.2.1', user_agent: 'test' },
  'desk.people.session': { token: 'token' },
  'desk.people.invitation': { token: 'token' },
  'desk.people.acceptInvitation': {
    token: 'token',
    name: 'Asha',
    password: 'x',
    address: '192.0.2.1',
    user_agent: 'test',
  },
};

test.each([...new Set([...Object.keys(INPUTS), ...Object.keys(MORE_TEXTS)])])(
  '%s refuses text that cannot be stored',
  async (path) => {
    for (const whole of [INPUTS[path]?.(foreign), MORE_TEXTS[path]]) {
      for (const input of withHostileTexts(whole))
        expect(await call(path, input, 'admin')).toEqual({
          refusal: expect.not.stringMatching('INTERNAL_SERVER_ERROR'),
        });
    }
  },
);

test.each(['desk.exams.list', 'exams.create', 'submissions.create', 'desk.exams.save'])(
  '%s refuses input that is nested 200,000 levels deep',
  async (path) => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    // The second value has the form in which core stores an object with exact numbers.
    for (const metadata of [deep, JSON.stringify({ $exact_json: deep })]) {
      const text = `{"exam_id":"${foreign.exam}","search":${deep},"seen":"","body":{"metadata":${metadata}}}`;
      expect(await post(path, text, 'admin')).toEqual({
        refusal: expect.stringMatching(/^(PAYLOAD_TOO_LARGE|validation_failed|exam_not_found)$/),
      });
    }
  },
);

test('a role that core does not know is refused everywhere', async () => {
  for (const path of ['exams.get', 'desk.people.session', 'submissions.override'])
    expect(await call(path, INPUTS[path]?.(foreign) ?? {}, 'teacher')).toEqual({ refusal: 'FORBIDDEN' });
});

test('npm start makes an admin of the first institute, whose password is in service.json', async () => {
  const { desk, first_key: first } = installation;
  expect(desk).toMatchObject({ email: expect.stringContaining('@'), password: expect.any(String) });
  expect(await signIn(desk?.email ?? '', desk?.password ?? '')).toMatchObject({
    role: 'admin',
    institute_id: first?.institute_id,
  });
});
