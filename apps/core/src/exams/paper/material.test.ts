import { expect, test } from 'vitest';
import { editMaterial, ofClient, type Material, type MaterialEdit } from './material.ts';

const rubric = { criteria: [{ name: 'All', marks: 2 }] };
const set: Material = { source: 'client', rubric, model_answer: 'One' };
const generated: Material = { source: 'generated', rubric, model_answer: null };

test.each<[string, Material | null, MaterialEdit, ReturnType<typeof editMaterial>]>([
  ['nothing sent, nothing set', null, {}, null],
  ['null where nothing is set', null, { rubric: null, model_answer: null }, null],
  ['a first rubric', null, { rubric }, { rubric, model_answer: null }],
  ['left out keeps', set, { model_answer: 'Two' }, { rubric, model_answer: 'Two' }],
  ['null clears', set, { rubric: null }, { rubric: null, model_answer: 'One' }],
  ['the same again', set, { rubric: structuredClone(rubric), model_answer: 'One' }, null],
  ['nothing sent over a generated rubric', generated, {}, null],
  ['null clears a generated rubric', generated, { rubric: null }, { rubric: null, model_answer: null }],
  [
    'a model answer ends a generated rubric',
    generated,
    { model_answer: 'x' },
    { rubric: null, model_answer: 'x' },
  ],
  ['the generated rubric becomes the client’s own', generated, { rubric }, { rubric, model_answer: null }],
])('%s', (_name, material, edit, after) => {
  expect(editMaterial(material, edit)).toEqual(after);
});

test('ofClient does not return a generated rubric', () => {
  expect(ofClient(generated)).toEqual({ rubric: null, model_answer: null });
  expect(ofClient(null)).toEqual({ rubric: null, model_answer: null });
  expect(ofClient(set)).toEqual({ rubric, model_answer: 'One' });
});
