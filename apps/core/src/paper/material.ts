import { isDeepStrictEqual } from 'node:util';
import type { Rubric } from '@evaluation/rest-contract/schemas';

/**
 * What a long answer is marked by, as it stands. `generated`: made by the service, since the client set nothing; a model
 * answer beside it is the client's own, of white space.
 */
export interface Material {
  source: 'client' | 'generated';
  rubric: Rubric | null;
  model_answer: string | null;
}

/** What a client sets: `null` clears, left out keeps (docs/api/rubrics.md). */
export interface MaterialEdit {
  rubric?: Rubric | null | undefined;
  model_answer?: string | null | undefined;
}

/** What the client has set, which is nothing while a generated rubric stands in. */
export const ofClient = (
  material: Material | null,
): { rubric: Rubric | null; model_answer: string | null } =>
  material?.source === 'client'
    ? { rubric: material.rubric, model_answer: material.model_answer }
    : { rubric: null, model_answer: material?.model_answer ?? null };

/**
 * What an edit makes of it, or null when it changes nothing: then there is no new version. Clearing a generated rubric
 * is a change: one is generated anew with the next copy.
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
