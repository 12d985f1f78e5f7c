import type { Actor } from '@evaluation/platform/signed-actor';
import { LRUCache } from 'lru-cache';
import { readTexts, readVersion } from '../../guides/fittedGuides.ts';
import { ensureVersions } from '../../guides/versions.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { findQuestion } from '../../exams/questions/findQuestion.ts';
import type { Services } from '../../command/services.ts';
import { learningCurve, type CurvePoint } from './learningCurve.ts';

interface Learning {
  question_id: string;
  /** Version of the guide; null while the question has no example. */
  version: number | null;
  examples: number;
  /** Empty below five examples. */
  curve: CurvePoint[];
}

/**
 * Curves by institute, question and version. A version never changes, but an erasure removes the text of an example, so
 * a curve is kept for a short time only.
 */
const kept = new LRUCache<string, Promise<CurvePoint[]>>({ max: 200, ttl: 5 * 60_000 });

/** @throws DomainFailure exam_not_found, not_found (the question) */
export const readLearning = async (
  services: Services,
  actor: Actor,
  { exam_id, question_id }: { exam_id: string; question_id: string },
): Promise<Learning> => {
  const instituteId = actor.institute_id;
  const { stored, known, texts } = await services.database.inTenant(instituteId, async (tx) => {
    const exam = await findExam(tx, actor, exam_id);
    await findQuestion(tx, instituteId, exam.id, question_id, new Set());
    const version = (await ensureVersions(tx, instituteId, exam.id)).get(question_id)?.version ?? null;
    const found = version === null ? null : await readVersion(tx, instituteId, question_id, version);
    const curve = found === null ? undefined : kept.get(keyOf(instituteId, found));
    return {
      stored: found,
      known: curve,
      texts:
        found === null || curve !== undefined
          ? new Map<string, string>()
          : await readTexts(tx, instituteId, question_id, found.examples),
    };
  });
  if (stored === null) return { question_id, version: null, examples: 0, curve: [] };
  const curve = known ?? learningCurve(stored, texts);
  if (known === undefined) kept.set(keyOf(instituteId, stored), curve);
  return { question_id, version: stored.version, examples: stored.examples.length, curve: await curve };
};

const keyOf = (
  instituteId: string,
  { question_id, version }: { question_id: string; version: number },
): string => `${instituteId} ${question_id} ${version}`;
