import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startMarkQueue, type MarkQueue, type Outcome } from './markQueue.ts';
import type { QueueStore } from './sender.ts';
import { decisionsOn, type Change, type Decision, type QueueState, type SeenMark } from './queueState.ts';

/*
 * The queue against a model of core that compares the seen mark and knows idempotency keys. Calls are lost before or
 * after their effect or arrive twice, pages restart, and a colleague marks the same questions.
 */

const QUESTIONS = ['1', '2'] as const;
const SUBMISSION = 's';

interface Mark extends SeenMark {
  by: 'ai' | 'examiner' | 'colleague';
}

class ModelOfCore {
  readonly marks = new Map<string, Mark>(
    QUESTIONS.map((question) => [question, { awarded: 1, edited_at: null, approved: false, by: 'ai' }]),
  );
  readonly outcomes = new Map<string, Outcome>();
  /** `edited_at` of each mark that the examiner's page has shown. The test fills it; decisions do not. */
  readonly shown = new Set<string>();
  /** Decisions that replaced a mark of the colleague that the page had not shown. */
  readonly overwritten: string[] = [];
  readonly storedIds: string[] = [];
  #clock = 0;

  markOf(question: string): Mark {
    const mark = this.marks.get(question);
    if (mark === undefined) throw new Error(question);
    return mark;
  }

  set(question: string, change: Change, by: Mark['by']): void {
    this.#clock += 1;
    this.marks.set(
      question,
      change.kind === 'withdraw'
        ? { awarded: 1, edited_at: null, approved: false, by: 'ai' }
        : { awarded: change.awarded, edited_at: String(this.#clock), approved: false, by },
    );
  }

  /** What the examiner's page reads and shows. */
  show(question: string): SeenMark {
    const { awarded, edited_at, approved } = this.markOf(question);
    if (edited_at !== null) this.shown.add(edited_at);
    return { awarded, edited_at, approved };
  }

  decide({ id, question_id, change, seen }: Decision & { seen: SeenMark }): Outcome {
    const known = this.outcomes.get(id);
    if (known !== undefined) return known;
    const now = this.markOf(question_id);
    if (now.awarded !== seen.awarded || now.edited_at !== seen.edited_at) return { kind: 'changed' };
    if (now.by === 'colleague' && !this.shown.has(now.edited_at ?? '')) this.overwritten.push(id);
    this.set(question_id, change, 'examiner');
    const { awarded, edited_at, approved } = this.markOf(question_id);
    const outcome: Outcome = { kind: 'stored', seen: { awarded, edited_at, approved } };
    this.outcomes.set(id, outcome);
    this.storedIds.push(id);
    return outcome;
  }
}

/** A store that outlives the page, as IndexedDB does in a browser. */
const newStore = (): QueueStore<Decision> => {
  let state: QueueState = [];
  let turn: Promise<unknown> = Promise.resolve();
  return {
    update: async (change) => {
      await Promise.resolve();
      state = structuredClone(change(state));
      return state;
    },
    alone: (_signal, work) => {
      const mine = turn.then(work);
      turn = mine.catch(() => {});
      return mine;
    },
    onForeignChange: () => () => {},
  };
};

const Fate = fc.constantFrom('arrives', 'arrives', 'lost', 'answer lost', 'twice');
const Step = fc.oneof(
  fc.record({
    act: fc.constant('mark' as const),
    question: fc.constantFrom(...QUESTIONS),
    awarded: fc.integer({ min: 0, max: 8 }).map((halves) => halves / 2),
  }),
  fc.record({ act: fc.constant('withdraw' as const), question: fc.constantFrom(...QUESTIONS) }),
  fc.record({
    act: fc.constant('colleague' as const),
    question: fc.constantFrom(...QUESTIONS),
    awarded: fc.integer({ min: 0, max: 8 }).map((halves) => halves / 2),
  }),
  fc.record({ act: fc.constant('restart' as const) }),
  fc.record({ act: fc.constant('look' as const) }),
);

test('no decision is lost or stored twice, and no mark of a colleague is overwritten unseen', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Step, { minLength: 1, maxLength: 25 }),
      fc.infiniteStream(Fate),
      async (steps, fates) => {
        const core = new ModelOfCore();
        const store = newStore();
        const seen = new Map(QUESTIONS.map((question) => [question, core.show(question)]));
        let next = 0;
        let isBroken = true;
        const start = (): MarkQueue =>
          startMarkQueue({
            store,
            newId: () => String((next += 1)),
            pause: async (_ms, signal) => {
              if (!signal.aborted) await wait(0);
            },
            send: async (decision) => {
              const fate = isBroken ? fates.next().value : 'arrives';
              await Promise.resolve();
              if (fate === 'lost') return { kind: 'unreachable' };
              const outcome = core.decide(decision);
              if (fate === 'answer lost') return { kind: 'unreachable' };
              return fate === 'twice' ? core.decide(decision) : outcome;
            },
          });
        const asked: string[] = [];
        let queue = start();
        for (const step of steps) {
          if (step.act === 'restart') {
            await queue.close();
            queue = start();
          } else if (step.act === 'look') {
            await wait(0);
            for (const question of QUESTIONS) {
              const isPending = queue.snapshot().items.some((each) => each.question_id === question);
              if (!isPending) seen.set(question, core.show(question));
            }
          } else if (step.act === 'colleague') {
            core.set(step.question, markOf(step.awarded), 'colleague');
          } else {
            const change: Change = step.act === 'mark' ? markOf(step.awarded) : { kind: 'withdraw' };
            const place = { submission_id: SUBMISSION, question_id: step.question };
            await queue.add(place, change, seen.get(step.question) ?? core.show(step.question));
            asked.push(step.question);
          }
        }
        isBroken = false;
        queue.hurry();
        await untilTrue(() => queue.snapshot().items.every((each) => each.held !== null));
        const left = queue.snapshot().items;
        // At most one decision of a question is held, and it is the last one that the examiner made.
        for (const question of QUESTIONS) {
          expect(decisionsOn(left, { submission_id: SUBMISSION, question_id: question }).length).toBeLessThan(
            2,
          );
        }
        expect(new Set(core.storedIds).size).toBe(core.storedIds.length);
        expect(core.overwritten).toEqual([]);
        // The examiner insists on the decisions that are left, and they are stored.
        for (const each of left) {
          await queue.insist(each.id, core.show(each.question_id));
        }
        await untilTrue(() => queue.snapshot().items.length === 0);
        for (const question of new Set(asked)) {
          const isLastOfExaminer = left.some((each) => each.question_id === question);
          if (isLastOfExaminer) expect(core.markOf(question).by).not.toBe('colleague');
        }
        await queue.close();
      },
    ),
    { numRuns: 150 },
  );
});

test('the model of core notes a mark of the colleague that is replaced before the page has shown it', () => {
  const core = new ModelOfCore();
  const decide = (id: string, seen: SeenMark) =>
    core.decide({
      id,
      submission_id: SUBMISSION,
      question_id: '1',
      change: markOf(2),
      held: null,
      seen,
    });
  core.set('1', markOf(4), 'colleague');
  decide('guessed', { ...core.markOf('1') });
  core.set('1', markOf(4), 'colleague');
  decide('shown', core.show('1'));
  expect(core.overwritten).toEqual(['guessed']);
});

test('a decision on a question waits for the decision before it, and has seen its mark', async () => {
  const core = new ModelOfCore();
  const sent: (number | null)[] = [];
  let next = 0;
  const queue = startMarkQueue({
    store: newStore(),
    newId: () => String((next += 1)),
    pause: async () => wait(0),
    send: async (decision) => {
      sent.push(decision.seen.awarded);
      return core.decide(decision);
    },
  });
  const place = { submission_id: SUBMISSION, question_id: '1' };
  const seen = { awarded: 1, edited_at: null, approved: false };
  await Promise.all([2, 3, 0.5].map((awarded) => queue.add(place, markOf(awarded), seen)));
  await untilTrue(() => queue.snapshot().items.length === 0);
  expect(sent).toEqual([1, 2, 3]);
  expect(core.markOf('1').awarded).toBe(0.5);
  await queue.close();
});

test('a decision that is held is sent only after the examiner has insisted, and can be discarded', async () => {
  const core = new ModelOfCore();
  let next = 0;
  const queue = startMarkQueue({
    store: newStore(),
    newId: () => String((next += 1)),
    pause: async () => wait(0),
    send: async (decision) => core.decide(decision),
  });
  const place = { submission_id: SUBMISSION, question_id: '1' };
  const seen = { awarded: 1, edited_at: null, approved: false };
  core.set('1', markOf(4), 'colleague');
  await queue.add(place, markOf(2), seen);
  await untilTrue(() => queue.snapshot().items[0]?.held !== null);
  expect(core.markOf('1')).toMatchObject({ awarded: 4, by: 'colleague' });
  await queue.add(place, markOf(3), seen);
  expect(queue.snapshot().items).toMatchObject([{ change: { awarded: 3 }, held: { reason: 'changed' } }]);
  const [kept] = queue.snapshot().items;
  await queue.discard(kept?.id ?? '');
  expect(queue.snapshot().items).toEqual([]);
  expect(core.markOf('1').awarded).toBe(4);
  await queue.close();
});

const markOf = (awarded: number): Change => ({ kind: 'mark', awarded, reason: null, reviewer: 'R' });

const untilTrue = async (isDone: () => boolean): Promise<void> => {
  for (let tries = 0; !isDone(); tries += 1) {
    if (tries > 5000) throw new Error('the queue does not come to rest');
    await wait(0);
  }
};
