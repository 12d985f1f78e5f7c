import { join } from 'node:path';
import { retryWhile } from '@evaluation/platform/backoff';
import { failureOf, type CoreAccess, type CoreClient, type DrawingMaterial } from '@evaluation/core-client';
import type { DrawJob } from '@evaluation/jobs-contract';
import { extractPages } from '@evaluation/pdf';
import type { Logger } from '@evaluation/platform/telemetry';
import type { CopyResult } from '../copy/copyResult.ts';
import { download, isStoreAway, upload } from '../copy/download.ts';
import { drawCopy } from '../copy/drawCopy.ts';
import { uprightImages } from '../copy/upright.ts';
import { isCoreAway } from '../run/heldRun.ts';
import { inWorkFolder } from '../workFolder.ts';

/*
 * A drawing claimed by this worker, exclusively until its deadline. It ends when it is recorded, handed back or marked
 * as failed, or when core answers `conflict` because another worker has it. If this process dies, core releases the
 * drawing again after the deadline; after the third failed worker core gives it up.
 */

/** Longest time to wait for the object store; then the drawing is handed back. */
const STORE_PATIENCE_MS = 20_000;
const HAND_BACK_MS = 2000;

type Drawing = Pick<DrawJob, 'submission_id' | 'institute_id' | 'delivery'> & {
  attempt: number;
  token: string;
};

interface Options {
  pdfSeconds: number;
  log: Logger;
  /** Aborts when the worker's drain time is over. */
  signal: AbortSignal;
  onClaimed: () => void;
}

/** Draws the checked copy of a submission again with its current marks (docs/architecture.md#checked-copy). */
export const drawAgain = async (core: CoreAccess, job: DrawJob, options: Options): Promise<void> => {
  const { submission_id, institute_id, delivery } = job;
  const { grading } = core.as({ requestId: submission_id });
  const material = await grading.claimDrawing.mutate({ submission_id, institute_id, delivery });
  options.onClaimed();
  if (material === null) return;
  const { attempt, token } = material;
  const drawing = { submission_id, institute_id, delivery, attempt, token };
  try {
    await draw(grading, drawing, material, options);
  } catch (error) {
    if (failureOf(error)?.code === 'conflict') return;
    options.log.warn({ err: error, submission_id }, 'drawing a checked copy again failed');
    // A failure of the drawing itself counts as an attempt, until core gives it up.
    const isOwnFault = !options.signal.aborted && !(error instanceof StoreIsAway);
    const signal = AbortSignal.timeout(HAND_BACK_MS);
    await (
      isOwnFault
        ? grading.failDrawing.mutate({ drawing }, { signal })
        : grading.handBackDrawing.mutate({ drawing }, { signal })
    ).catch((failed: unknown) =>
      options.log.warn(
        { err: failed, submission_id },
        'handing a drawing back failed: core releases it after its deadline',
      ),
    );
  }
};

class StoreIsAway extends Error {
  override readonly name = 'StoreIsAway';
}

const draw = async (
  grading: CoreClient['grading'],
  drawing: Drawing,
  material: DrawingMaterial,
  { pdfSeconds, signal: drainEnded }: Options,
): Promise<void> => {
  const deadline = new Date(material.deadline_at);
  const timeLeft = AbortSignal.timeout(Math.max(0, deadline.getTime() - Date.now()));
  const lost = new AbortController();
  const signal = AbortSignal.any([drainEnded, timeLeft, lost.signal]);
  const pdf = { timeoutSeconds: pdfSeconds, signal };
  await inWorkFolder(async (folder) => {
    const source = join(folder, 'copy.pdf');
    const target = join(folder, 'checked.pdf');
    await download(material.source_url, source, {
      signal,
      deadline: new Date(Math.min(deadline.getTime(), Date.now() + STORE_PATIENCE_MS)),
    }).catch((error: unknown) => {
      throw isStoreAway(error)
        ? new StoreIsAway('the copy could not be downloaded', { cause: error })
        : error;
    });
    const images = uprightImages(await extractPages(source, folder, pdf), material.turned_pages);
    const drawn = await drawCopy({ ...material, images, results: resultsOf(material) }, target, pdf);
    // Retries while core is not reachable, for example during a restart, so that the drawing need not be repeated.
    const insist = async <T>(call: () => Promise<T>): Promise<T> => {
      try {
        return await retryWhile(isCoreAway, call, { signal, until: deadline });
      } catch (error) {
        // Another worker has the drawing: abort everything.
        if (failureOf(error)?.code === 'conflict') lost.abort(error);
        throw error;
      }
    };
    const address = () =>
      insist(() => grading.presignDrawing.mutate({ drawing, size_bytes: drawn.sizeBytes }));
    await upload(address, target, { signal, deadline });
    await insist(() =>
      grading.recordDrawing.mutate({ drawing, revision: material.revision, pictures: drawn.pictures }),
    );
  });
};

const resultsOf = ({ questions, results }: DrawingMaterial): CopyResult[] => {
  const decided = new Map(results.map((result) => [result.question_id, result]));
  return questions.map((question) => {
    const result = decided.get(question.id);
    if (result === undefined) throw new Error(`question ${question.id} of a graded copy has no result`);
    return { question, result };
  });
};
