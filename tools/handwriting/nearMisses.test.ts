import { startReader, type Reader } from '@evaluation/reader';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../tests/harness/seededRandom.ts';
import { handOf } from './hands.ts';
import { photograph } from './photograph.ts';

let reader: Reader;
beforeAll(async () => {
  reader = await startReader();
}, 60_000);
afterAll(() => reader.end());

/** Answers beside the point, with the words of the paper that would earn marks and stand in none of them. */
const misses: readonly (readonly [answer: string, paper: string])[] = [
  ['The volume decreases and the carrier moves away.', 'The pressure increases at the barrier.'],
  ['It is unstable and never reacts with the metal.', 'A stable compound reacts; reaction, reactions'],
  ['Meiosis halves the number of chromosomes here.', 'Describe mitosis and its chromatids.'],
  ['The anode is where reduction does not happen.', 'Oxidation takes place at the cathode.'],
  ['An exothermic change gives out heat to the room.', 'The endothermic reaction absorbs energy.'],
  [
    'The seller asked for more than the buyer wanted.',
    'Respiration, transpiration, photosynthesis, chlorophyll',
  ],
  ['Inorganic salts stay in the dish after heating.', 'Organic matter dissolves by evaporation.'],
  ['The hypertonic solution takes water from cells.', 'A hypotonic solution makes the cell turgid.'],
  ['Velocity and time give the distance travelled.', 'acceleration, momentum, viscosity, velocities'],
  ['The king was born before the parliament met.', 'monarchy, constitution, sovereignty, revolution'],
];

test('an answer beside the point gets no word of the paper, in any of ten hands', async () => {
  const random = seededRandom(7);
  for (const [index, [answer, paper]] of misses.entries()) {
    const lines = await reader.read(await photograph(answer, handOf(index), { shot: 'far', random }), [
      paper,
    ]);
    const taken = lines.flatMap(({ words }) => words.filter(({ read }) => read !== undefined));
    const invented = taken.filter(({ text }) => !answer.toLowerCase().includes(text.toLowerCase()));
    expect(invented.map(({ read, text }) => `${read} became ${text}`)).toEqual([]);
  }
}, 120_000);
