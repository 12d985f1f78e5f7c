import { isDeepStrictEqual } from 'node:util';
import type { Rubric } from '@evaluation/rest-contract/schemas';

/**
 * Material that a long answer is marked by. If `source` is `generated`, `model_answer` is what the client sent: null or
 * only white space.
 */
export interface Material {
  source: 'client' | 'generated';
  rubric: Rubric | null;
  model_answer: string | null;
}

/** Edit by a client: `null` clears, absent fields keep their value. */
export interface MaterialEdit {
  rubric?: Rubric | null | undefined;
  model_answer?: string | null | undefined;
}

/** Returns the material that the client has set; a generated rubric does not count. */
export const ofClient = (material: Material | null): { rubric: Rubric | null; model_answer: string | null } =>
  material?.source === 'client'
    ? { rubric: material.rubric, model_answer: material.model_answer }
    : { rubric: null, model_answer: material?.model_answer ?? null };

/**
 * Returns null if nothing changes. Clearing a generated rubric is a change: a new one is generated with the next copy.
 */
export const editMaterial = (
  material: Material | null,
  edit: MaterialEdit,
): { rubric: Rubric | null; model_answer: string | null } | null => {
  const before = ofClient(material);
  const after = {
    rubric: edit.rubric === undefined ? before.rubric : edit.rubric,
    model_answer: edit.model_answer === undefined ? before.model_answer : edit.model_answer,
  };
  const clearsGenerated = material?.source === 'generated' && edit.rubric === null;
  return isDeepStrictEqual(before, after) && !clearsGenerated ? null : after;
};
