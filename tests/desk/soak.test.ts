import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { coreOverHttp } from '@evaluation/core-client';
import { findInstallation } from '@evaluation/platform/installation';
import { apiClient, createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { behind } from '../harness/behind.ts';
import { longAnswer, typedExam } from '../harness/papers.ts';
import { freePort, killPrograms, startProgram } from '../harness/processes.ts';
import { seededRandom } from '../harness/seededRandom.ts';
import { newEnvironment } from '../harness/service.ts';
import { launchBrowser } from './harness/browser.ts';
import { newBrowserExaminer } from './soak/browserExaminer.ts';
import { newExaminer, newSession, type Examiner, type StoredDecision } from './soak/examiner.ts';

/*
 * Two examiners mark the same copy through the desk, which runs as a process that is killed and started again.
 * Afterwards the audit is compared with the answers that each of them got. Runs of one batch go on at once, each with
 * its own seed and copy, and share a restart, which costs more than they. `npm run desk:soak` makes many runs.
 */

const RUNS = Number(process.env['DESK_SOAK_RUNS'] ?? 3);
const SEED = Number(process.env['DESK_SOAK_SEED'] ?? 1);
/** Examiners in real browsers, instead of the page's queue in this process. */
const browser = process.env['DESK_SOAK_BROWSERS'] === undefined ? null : await launchBrowser();
const STEPS = 30;
/**
 * Runs of a batch. More runs at once would keep the service so busy that calls are repeated before they are answered.
 */
const AT_ONCE = browser === null ? 10 : 3;

const [port, corePort, deskPort] = [await freePort(), await freePort(), await freePort()];
const { environment, database, drop } = await newEnvironment({
  PORT: String(port),
  CORE_PORT: String(corePort),
  DESK_PORT: String(deskPort),
});
let program = await startProgram('standalone', environment);
afterAll(async () => {
  await browser?.close();
  await killPrograms();
  await drop();
});
const installation = await findInstallation(environment['DATA_DIR'] ?? '');
if (installation?.first_key == null || installation.desk == null) throw new Error('there is no installation');
const { first_key: key, desk: admin } = installation;
const api = apiClient(`http://127.0.0.1:${port}/v1`, key.api_key);
const colleague = { email: 'colleague@example.org', password: 'a long enough password' };
const control = coreOverHttp({
  url: `http://127.0.0.1:${corePort}`,
  token: installation.tokens.control,
});
await control.as({}).control.staff.invite.mutate({
  institute_id: key.institute_id,
  name: 'Colleague',
  role: 'examiner',
  ...colleague,
});
await control.close();
const exam = await createExam(api, typedExam([longAnswer('1', { max_marks: 10 }), longAnswer('2')]));
const questions = exam.questions.map(({ id }) => id);
const url = `http://127.0.0.1:${deskPort}`;
const sessions = [
  { name: 'admin', cookie: await newSession(url, admin) },
  { name: 'colleague', cookie: await newSession(url, colleague) },
];

const restart = async (): Promise<void> => {
  await program.kill();
  program = await startProgram('standalone', environment);
};

const newCopy = async (): Promise<string> => {
  const { id } = await submit(api, exam.id, {
    candidate: { external_id: randomUUID() },
    answers: ['1', '2'].map((label) => ({ question_label: label, text: 'Because of this.' })),
  });
  await untilOver(api, id);
  // So that it takes strokes. Nothing is drawn of it: it has no file.
  await behind(database, 'update submissions set pages = 1 where id = $1', [id]);
  return id;
};

for (let first = SEED; first < SEED + RUNS; first += AT_ONCE) {
  const seeds = Array.from({ length: Math.min(AT_ONCE, SEED + RUNS - first) }, (_, index) => first + index);
  test(`seeds ${first} to ${seeds.at(-1)}: no mark or stroke is lost, and no mark is overwritten unseen`, async () => {
    const copies = await Promise.all(seeds.map(() => newCopy()));
    let restarting: Promise<void> | undefined;
    const restartOnce = (): Promise<void> => (restarting ??= restart());
    const runs = seeds.map((seed, index) => oneRun(seed, copies[index] ?? '', restartOnce));
    let marks = 0;
    for (const ended of await Promise.allSettled(runs)) {
      if (ended.status === 'rejected') throw ended.reason;
      marks += ended.value;
    }
    // Each run has about 13 decisions, of which some replace others before they are sent.
    expect(marks).toBeGreaterThan(seeds.length);
    if (RUNS > AT_ONCE) console.log(`seeds ${first} to ${seeds.at(-1)}: ${marks} marks stored`);
  });
}

/** @returns the number of stored marks */
const oneRun = async (seed: number, copy: string, restartOnce: () => Promise<void>): Promise<number> => {
  const random = seededRandom(seed);
  const examiners: Examiner[] = [];
  for (const session of sessions)
    examiners.push(
      browser === null
        ? newExaminer(url, session.name, session.cookie, random)
        : await newBrowserExaminer(browser, { url, exam }, session, random),
    );
  try {
    for (let step = 0; step < STEPS; step += 1) {
      const examiner = examiners[Math.floor(random() * examiners.length)];
      const question = questions[Math.floor(random() * questions.length)] ?? '';
      const chance = random();
      if (chance < 0.3) await examiner?.look(copy).catch(() => {});
      else if (chance < 0.45) await examiner?.draw?.(copy);
      else if (chance < 0.9) await examiner?.decide(copy, question, Math.floor(random() * 5) / 2);
      else await examiner?.loadAgain();
      if (step === STEPS / 2) void restartOnce();
    }
    await restartOnce();
    for (const examiner of examiners) await examiner.settle(copy);
    await expectNothingLost(copy, examiners);
    const drawn = await behind<{ id: string }>(
      database,
      'select id from marking_ink where submission_id = $1 and ink is not null',
      [copy],
    );
    const kept = examiners.flatMap(({ strokes = new Set<string>() }) => [...strokes]);
    expect(new Set(drawn.map(({ id }) => id))).toEqual(new Set(kept));
    return examiners.reduce((sum, { stored }) => sum + stored.size, 0);
  } catch (error) {
    throw new Error(`the run with seed ${seed} failed`, { cause: error });
  } finally {
    for (const examiner of examiners) await examiner.close();
  }
};

const expectNothingLost = async (copy: string, examiners: readonly Examiner[]): Promise<void> => {
  const result = await resultOf(api, copy);
  for (const question of questions) {
    const decisions = examiners
      .flatMap((examiner) => [...examiner.stored.values()].map((each) => ({ examiner, ...each })))
      .filter(({ decision }) => decision.question_id === question)
      .toSorted((a, b) => timeOf(a) - timeOf(b));
    const entries = await behind<{ awarded: number }>(
      database,
      `select (after ->> 'awarded')::float8 as awarded from audit_entries
       where submission_id = $1 and question_id = $2 and action = 'override' order by id`,
      [copy, question],
    );
    // Each decision that was answered as stored has one entry, in the same order, and there is no other entry.
    expect(entries.map(({ awarded }) => awarded)).toEqual(decisions.map(({ stored }) => stored.awarded));
    for (const [index, { decision, examiner }] of decisions.entries()) {
      const before = decisions[index - 1];
      expect(decision.seen.edited_at).toBe(before?.stored.edited_at ?? null);
      // A colleague's mark was replaced: the examiner had read it before.
      if (before !== undefined && before.examiner !== examiner) {
        expect(examiner.read).toContain(before.stored.edited_at);
      }
    }
    const last = decisions.at(-1);
    if (last !== undefined) {
      expect(result.questions.find(({ question_id }) => question_id === question)?.awarded).toBe(
        last.stored.awarded,
      );
    }
  }
};

const timeOf = ({ stored }: StoredDecision): number => Date.parse(stored.edited_at ?? '');
