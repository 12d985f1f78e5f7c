import type { Change } from '../change.ts';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Reads the ids in the input of a command. Workers name the institute in the input; other callers have it in the actor.
 * @returns null without an institute
 */
export const changeIn = (input: unknown, instituteOfActor: string | undefined): Change | null => {
  const sent = fieldsOf(input);
  // A call of a worker has the ids in `held` (a run) or in `drawing`.
  const places = [sent, fieldsOf(sent['held']), fieldsOf(sent['drawing'])];
  const idsOf = (...names: string[]): string[] =>
    places.flatMap((place) => names.flatMap((name) => [place[name]].flat().filter(isId)));
  const institute = instituteOfActor ?? idsOf('institute_id')[0];
  if (institute === undefined) return null;
  return {
    institute_id: institute,
    exam_ids: idsOf('exam_id'),
    submission_ids: idsOf('submission_id', 'submission_ids'),
    run_ids: idsOf('run_id'),
  };
};

const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
