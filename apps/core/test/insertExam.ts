import { randomUUID } from 'node:crypto';
import type { Database } from '@evaluation/database';

/** Inserts a typed exam without questions. @returns its id */
export const insertExam = async (
  { inTenant }: Pick<Database, 'inTenant'>,
  instituteId: string,
  status: 'draft' | 'open' = 'draft',
): Promise<string> => {
  const id = randomUUID();
  await inTenant(instituteId, (tx) =>
    tx
      .insertInto('exams')
      .values({
        id,
        institute_id: instituteId,
        title: 'Unit test',
        mode: 'typed',
        status,
        conducted_on: '2026-02-14',
        level: 'school',
        answer_language: 'en',
        feedback_language: 'en',
        blind: false,
      })
      .execute(),
  );
  return id;
};
