import { setTimeout as wait } from 'node:timers/promises';
import type { Ink } from '@evaluation/rules/marked-page';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startInkQueue } from './inkQueue.ts';
import { withChanges, type InkChange, type InkState } from './inkState.ts';

/*
 * The queue against a model of core: rows by id, a removed row stays. Calls are lost before or after their effect or
 * arrive twice, and pages restart.
 */

const newCore = () => {
  const rows = new Map<string, Ink | null>();
  return {
    rows,
    take: (batch: InkState): void => {
      for (const change of batch)
        if (change.kind === 'add' && !rows.has(change.id)) rows.set(change.id, change.ink);
      for (const change of batch)
        if (change.kind === 'remove' && rows.has(change.id)) rows.set(change.id, null);
    },
    strokes: () => [...rows].flatMap(([id, ink]) => (ink === null ? [] : [{ id, ink }])),
  };
};

const newStore = () => {
  let state: InkState = [];
  let turn: Promise<unknown> = Promise.resolve();
  return {
    update: async (change: (before: InkState) => InkState) => {
      await Promise.resolve();
      state = structuredClone(change(state));
      return state;
    },
    alone: (_signal: AbortSignal, work: () => Promise<void>) => {
      const mine = turn.then(work);
      turn = mine.catch(() => {});
      return mine;
    },
    onForeignChange: () => () => {},
  };
};

const INK: Ink = { kind: 'tick', page: 1, at: [0.5, 0.5] };
const pause = async (_ms: number, signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await wait(0);
};
const untilEmpty = async (queue: { snapshot(): { items: InkState } }): Promise<void> => {
  for (let tries = 0; queue.snapshot().items.length > 0; tries += 1) {
    if (tries > 5000) throw new Error('the queue does not come to rest');
    await wait(0);
  }
};

test('no stroke is lost, stored twice or drawn again after its removal', async () => {
  const Fate = fc.constantFrom('arrives', 'arrives', 'lost', 'answer lost', 'twice');
  const Step = fc.constantFrom('draw', 'draw', 'remove', 'restart', 'look');
  await fc.assert(
    fc.asyncProperty(
      fc.array(Step, { minLength: 1, maxLength: 25 }),
      fc.infiniteStream(Fate),
      async (steps, fates) => {
        const [core, store] = [newCore(), newStore()];
        let isBroken = true;
        const start = () =>
          startInkQueue({
            store,
            pause,
            onRefused: () => {},
            send: async (batch) => {
              const fate = isBroken ? fates.next().value : 'arrives';
              await Promise.resolve();
              if (fate === 'lost') return { kind: 'unreachable' };
              core.take(batch);
              if (fate === 'twice') core.take(batch);
              return fate === 'answer lost' ? { kind: 'unreachable' } : { kind: 'stored' };
            },
          });
        let queue = start();
        const wanted = new Set<string>();
        const place = { submission_id: 's' };
        for (const [index, step] of steps.entries()) {
          const [last] = [...wanted].slice(-1);
          if (step === 'restart') {
            await queue.close();
            queue = start();
            // The new page reads the store before it shows anything.
            await wait(0);
          } else if (step === 'look') {
            await wait(0);
          } else if (step === 'draw') {
            wanted.add(String(index));
            await queue.add({ ...place, id: String(index), kind: 'add', ink: INK });
          } else if (last !== undefined) {
            wanted.delete(last);
            await queue.add({ ...place, id: last, kind: 'remove' });
          }
          const shown = withChanges(core.strokes(), queue.snapshot().items, 's').map(({ id }) => id);
          expect(new Set(shown)).toEqual(wanted);
        }
        isBroken = false;
        queue.hurry();
        await untilEmpty(queue);
        expect(new Set(core.strokes().map(({ id }) => id))).toEqual(wanted);
        await queue.close();
      },
    ),
    { numRuns: 100 },
  );
});

test('changes of one copy are sent together, and one that is refused takes no other with it', async () => {
  const core = newCore();
  const sent: string[][] = [];
  const refused: string[] = [];
  const store = newStore();
  const change = (id: string, submission_id = 's'): InkChange => ({
    submission_id,
    id,
    kind: 'add',
    ink: INK,
  });
  await store.update(() => [change('1'), change('bad'), change('2'), change('3', 'other')]);
  const queue = startInkQueue({
    store,
    pause,
    onRefused: (text) => refused.push(text),
    send: async (batch) => {
      await Promise.resolve();
      sent.push(batch.map(({ id }) => id));
      if (batch.some(({ id }) => id === 'bad')) return { kind: 'refused', text: 'No.' };
      core.take(batch);
      return { kind: 'stored' };
    },
  });
  await wait(0);
  await untilEmpty(queue);
  expect(sent).toEqual([['1', 'bad', '2'], ['1'], ['bad'], ['2'], ['3']]);
  expect(refused).toEqual(['No.']);
  expect([...core.rows.keys()]).toEqual(['1', '2', '3']);
  await queue.close();
});
