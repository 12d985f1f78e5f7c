import { randomUUID } from 'node:crypto';
import { startCore, type Core } from '@evaluation/core';
import { ROLES_OF_PROCEDURE } from '@evaluation/core/roles';
import { coreOverHttp, type CoreOverHttp } from '@evaluation/core-client';
import { readCoreSettings } from '@evaluation/platform/settings';
import { staffActor } from '@evaluation/platform/signed-actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { behind } from '../harness/behind.ts';
import { createExam } from '../harness/api.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { restSuite } from '../harness/restSuite.ts';
import { installationOf } from '../harness/staff.ts';
import { newTenant } from '../harness/tenant.ts';
import { INPUTS, newIds } from './roleInputs.ts';

/* A signing key of its own for each internal team (docs/internal-teams.md#a-key-for-each-team). */

const { service, tenant } = await restSuite();
const installation = await installationOf(service);
const foreign = await newTenant(service);
const keys = {
  results: 'results-key-of-16-and-more',
  resultsBefore: 'results-key-of-the-last-year',
  timetable: 'timetable-key-of-16-and-more',
  removed: 'removed-key-of-16-and-more',
};
const opened: CoreOverHttp[] = [];
/** Core as the service has it, with teams. */
let core: Core;

beforeAll(async () => {
  core = await startCore(
    readCoreSettings({
      ...service.environment,
      NATS_URL: service.environment['CORE_NATS_URL'],
      CORE_PUBLIC_TOKEN: installation.tokens.public,
      CORE_GRADING_TOKEN: installation.tokens.grading,
      CORE_CONTROL_TOKEN: installation.tokens.control,
      ACTOR_SIGNING_KEY: installation.actor_signing_key,
      TEAM_SIGNING_KEYS: JSON.stringify([
        {
          name: 'results',
          keys: [keys.results, keys.resultsBefore],
          institutes: [tenant.instituteId],
          roles: ['admin', 'examiner'],
        },
        { name: 'timetable', keys: [keys.timetable], institutes: 'all', roles: ['examiner'] },
      ]),
    }),
  );
});
afterAll(async () => {
  for (const access of opened) await access.close();
  await core.close();
});

interface As {
  institute?: string;
  role?: string;
  staffId?: string;
}

const accessOf = (key: string): CoreOverHttp => {
  const access = coreOverHttp({ url: core.url, token: installation.tokens.public, actorSigningKey: key });
  opened.push(access);
  return access;
};

const withKey = (
  key: string,
  { institute = tenant.instituteId, role = 'admin', staffId = randomUUID() }: As = {},
) =>
  accessOf(key).as({
    actor: staffActor({
      institute_id: institute,
      staff_id: staffId,
      role,
      scopes: ['evaluation:read', 'evaluation:write', 'evaluation:review'],
    }),
  }).public;

const outcomeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof Error ? error.message : 'thrown'),
  );
const lists = (key: string, as?: As) => outcomeOf(withKey(key, as).exams.list.query({ query: {} }));

test('a team acts in its institutes and roles alone; beyond them it is refused like a role without the right', async () => {
  const elsewhere = { institute: foreign.instituteId };
  const nowhere = { institute: randomUUID() };
  expect({
    admin: await lists(keys.results),
    examiner: await lists(keys.results, { role: 'examiner' }),
    elsewhere: await lists(keys.results, elsewhere),
    nowhere: await lists(keys.results, nowhere),
    unknownRole: await lists(keys.results, { role: 'boss' }),
    allInstitutes: await lists(keys.timetable, { ...elsewhere, role: 'examiner' }),
    roleOfOthers: await lists(keys.timetable),
  }).toEqual({
    admin: 'answered',
    examiner: 'answered',
    elsewhere: 'FORBIDDEN',
    nowhere: 'FORBIDDEN',
    unknownRole: 'FORBIDDEN',
    allInstitutes: 'answered',
    roleOfOthers: 'FORBIDDEN',
  });
});

test('both keys of a team are valid, and a key of no team is not', async () => {
  expect([await lists(keys.resultsBefore), await lists(keys.removed)]).toEqual(['answered', 'UNAUTHORIZED']);
});

test('a key of a team signs no API key', async () => {
  const actor = { institute_id: tenant.instituteId, key_id: randomUUID(), scopes: ['evaluation:read'] };
  expect(await outcomeOf(accessOf(keys.results).as({ actor }).public.me.query())).toBe('FORBIDDEN');
});

test('accounts and API keys are closed to teams, and open to the shared key', async () => {
  const ids = newIds();
  const post = async (key: string, path: string): Promise<number> => {
    const input = JSON.stringify(INPUTS[path]?.(ids));
    const actor = staffActor({
      institute_id: tenant.instituteId,
      staff_id: ids.staff,
      role: 'admin',
      scopes: [],
    });
    return (await accessOf(key).forward({ actor }, `public.${path}`, input ?? '')).status;
  };
  const closed = Object.keys(ROLES_OF_PROCEDURE).filter(
    (path) => /^desk\.(?:people|keys)\./.test(path) && (ROLES_OF_PROCEDURE[path] ?? []).length > 0,
  );
  expect(closed.length).toBeGreaterThan(15);
  for (const path of closed) expect(await post(keys.results, path), path).toBe(403);
  expect(await post(installation.actor_signing_key, 'desk.keys.list')).toBe(200);
});

test('the audit names the team beside the person, for every act of its key and for no other', async () => {
  const { id: exam_id } = await createExam(tenant.api, typedExam([longAnswer('1')], { open: false }));
  const byTeam = randomUUID();
  const byDesk = randomUUID();
  const edit = (key: string, staffId: string, title: string) =>
    withKey(key, { staffId }).exams.edit.mutate({ exam_id, body: { title } });
  await edit(keys.results, byTeam, 'Edited by a team');
  await edit(installation.actor_signing_key, byDesk, 'Edited at the desk');
  await withKey(keys.resultsBefore, { staffId: byTeam }).guide.set.mutate({ exam_id, mode: 'suggest' });

  const { data } = await withKey(keys.results).desk.audit.list.query({ exam_id });
  expect(data.map(({ person, action }) => [action, person.kind, person.team]).toReversed()).toEqual([
    ['exam_create', 'key', null],
    ['exam_edit', 'staff', 'results'],
    ['exam_edit', 'staff', null],
    ['exam_edit', 'staff', 'results'],
  ]);
  expect(
    await behind<{ event: string; actor_id: string; team: string | null }>(
      service.database,
      'select event, actor_id, team from guide_events where exam_id = $1',
      [exam_id],
    ),
  ).toEqual([{ event: 'settings', actor_id: byTeam, team: 'results' }]);
});
