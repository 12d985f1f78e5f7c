import type { Tx } from '@evaluation/database';
import { Box } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';

export interface AnswerBlock {
  page: number;
  /** In fractions of the page. A page that was scanned a few degrees askew has been straightened before the reading. */
  box: z.infer<typeof Box>;
  text: string;
}

const Block = z.object({ text: z.string(), crossedOut: z.boolean(), box: Box });
const Pages = z.array(z.object({ page: z.int(), blocks: z.array(z.unknown()) }));
const Found = z.array(
  z.object({ number: z.int(), blocks: z.array(z.object({ page: z.int(), block: z.int() })) }),
);

/**
 * Reads the places of the answers on a copy, from the recorded readings and the alignment of its run. Readings are
 * deleted after some days (grading/runs/removeReadings.ts); the answers then have no blocks.
 * @returns a function from the number of a question on the paper (from 1) to the blocks of its answer
 */
export const readAnswerBlocks = async (
  tx: Tx,
  instituteId: string,
  runId: string,
): Promise<(number: number) => AnswerBlock[]> => {
  const run = await tx
    .selectFrom('runs')
    .select('alignment')
    .where('institute_id', '=', instituteId)
    .where('id', '=', runId)
    .executeTakeFirst();
  const found = Found.safeParse(run?.alignment ?? []);
  if (!found.success || found.data.length === 0) return () => [];
  const readings = await tx
    .selectFrom('page_readings')
    .select('pages')
    .where('institute_id', '=', instituteId)
    .where('run_id', '=', runId)
    .execute();
  const pages = new Map(
    readings.flatMap((row) =>
      (Pages.safeParse(row.pages).data ?? []).map(({ page, blocks }) => [page, blocks] as const),
    ),
  );
  const blocksOf = new Map(found.data.map(({ number, blocks }) => [number, blocks]));
  return (number) =>
    (blocksOf.get(number) ?? []).flatMap(({ page, block }) => {
      const read = Block.safeParse(pages.get(page)?.[block]);
      return read.success && !read.data.crossedOut
        ? [{ page, box: read.data.box, text: read.data.text }]
        : [];
    });
};
