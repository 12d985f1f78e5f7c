import { expect, test } from 'vitest';
import { heldBodies, NoRoom } from './heldBodies.ts';

/** Largest size in bytes that a new body of this institute can reach. */
const roomFor = (bodies: ReturnType<typeof heldBodies>, institute: string): number => {
  const body = bodies.begin(institute);
  let room = 0;
  try {
    for (let bytes = 1; bytes <= 1000; bytes += 1) {
      body.grow(bytes);
      room = bytes;
    }
  } catch (error) {
    expect(error).toBeInstanceOf(NoRoom);
  }
  body.release();
  return room;
};

test('the first institute may take two thirds of the memory, the next one two thirds of the rest', () => {
  const bodies = heldBodies(900);
  bodies.begin('a').grow(600);
  expect(roomFor(bodies, 'a')).toBe(0);
  expect(roomFor(bodies, 'b')).toBe(200);
  bodies.begin('b').grow(200);
  expect(roomFor(bodies, 'c')).toBe(66);
});

test('release frees the memory of a body once', () => {
  const bodies = heldBodies(900);
  const body = bodies.begin('a');
  body.grow(600);
  body.release();
  body.release();
  body.grow(500);
  expect(roomFor(bodies, 'b')).toBe(600);
});

test('an institute may hold two large bodies at once, independent of other institutes', () => {
  const bodies = heldBodies(900);
  const [first, second, third] = [bodies.begin('a'), bodies.begin('a'), bodies.begin('a')];
  for (const body of [first, second, first]) body.becomesLarge();
  expect(() => third.becomesLarge()).toThrow(NoRoom);
  bodies.begin('b').becomesLarge();
  first.release();
  third.becomesLarge();
});
