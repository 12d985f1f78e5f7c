import type { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { readQuestionResult } from '../review/readQuestionResult.ts';
import { seenMarkOf, type SeenMark } from '../review/seenMark.ts';
import type { Services } from '../../command/services.ts';
import { findCopy, findQuestionOfCopy } from './findCopy.ts';
import { staffNames } from './staffNames.ts';

/** Only the newest entries are read: a page whose mark was refused has missed only these. */
const MOST_CHANGES = 20;

interface MarkChange {
  at: string;
  action: 'override' | 'override_dropped' | 'guide_apply' | 'guide_undo';
  /** The member of staff or API key. */
  by: { id: string; name: string | null; is_me: boolean };
  before: number | null;
  after: number | null;
}

interface MarkChanges {
  /** The mark that counts now. */
  mark: SeenMark;
  /** Newest first. */
  changes: MarkChange[];
}

/**
 * The mark of a question and the audit of its changes, for a page whose command was refused because the mark had
 * changed.
 * @throws DomainFailure not_found
 */
export const readChanges = async (
  services: Services,
  actor: Actor,
  { submission_id, question_id }: { submission_id: string; question_id: string },
): Promise<MarkChanges> => {
  const instituteId = actor.institute_id;
  const { mark, rows } = await services.database.inTenant(instituteId, async (tx) => {
    const copy = await findCopy(tx, actor, submission_id);
    await findQuestionOfCopy(tx, instituteId, copy, question_id);
    const result = await readQuestionResult(tx, actor, copy.id, question_id);
    const entries = await tx
      .selectFrom('audit_entries')
      .select(['action', 'key_id', 'before', 'after', 'created_at'])
      .where('institute_id', '=', instituteId)
      .where('submission_id', '=', copy.id)
      .where('question_id', '=', question_id)
      .orderBy('id', 'desc')
      .limit(MOST_CHANGES)
      .execute();
    return { mark: seenMarkOf(result), rows: entries };
  });
  const names = await staffNames(services, instituteId, [...new Set(rows.map(({ key_id }) => key_id))]);
  return {
    mark,
    changes: rows.flatMap(({ action, key_id, before, after, created_at }) =>
      isOfOneMark(action)
        ? [
            {
              at: created_at.toISOString(),
              action,
              by: { id: key_id, name: names.get(key_id) ?? null, is_me: key_id === actor.key_id },
              before: Marked.parse(before).awarded ?? null,
              after: Marked.parse(after).awarded ?? null,
            },
          ]
        : [],
    ),
  };
};

const Marked = z.object({ awarded: z.number().nullable().optional() });

const OF_ONE_MARK: ReadonlySet<string> = new Set([
  'override',
  'override_dropped',
  'guide_apply',
  'guide_undo',
]);
const isOfOneMark = (action: string): action is MarkChange['action'] => OF_ONE_MARK.has(action);
