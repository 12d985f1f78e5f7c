import type { Tx } from '@evaluation/database';
import type { Box } from '@evaluation/rest-contract/schemas';
import { isBlankText } from '@evaluation/rules';
import { RecordedPage } from '@evaluation/rules/grading-model';
import * as z from 'zod/v4';

export interface AnswerBlock {
  page: number;
  /** In fractions of the page. A page that was scanned a few degrees askew has been straightened before the reading. */
  box: z.infer<typeof Box>;
  text: string;
}

/** A region of a page that belongs to no answer, no struck-out work, no label and no print. */
export interface StrayInk {
  page: number;
  box: z.infer<typeof Box>;
}

interface CopyBlocks {
  /** Blocks of the answer to a question, by its number on the paper, from 1. */
  blocksOf: (number: number) => AnswerBlock[];
  stray: StrayInk[];
}

const Found = z.array(
  z.object({ number: z.int(), blocks: z.array(z.object({ page: z.int(), block: z.int() })) }),
);

/**
 * Reads the places of the answers on a copy, and what is left over, from the recorded readings and the alignment of its
 * run. Readings are deleted after some days (grading/runs/removeReadings.ts); there are no places then.
 */
export const readCopyBlocks = async (tx: Tx, instituteId: string, runId: string): Promise<CopyBlocks> => {
  const run = await tx
    .selectFrom('runs')
    .select('alignment')
    .where('institute_id', '=', instituteId)
    .where('id', '=', runId)
    .executeTakeFirst();
  const found = Found.safeParse(run?.alignment ?? []);
  if (!found.success || found.data.length === 0) return { blocksOf: () => [], stray: [] };
  const readings = await tx
    .selectFrom('page_readings')
    .select('pages')
    .where('institute_id', '=', instituteId)
    .where('run_id', '=', runId)
    .execute();
  const pages = readings.flatMap((row) => z.array(RecordedPage).safeParse(row.pages).data ?? []);
  const byPage = new Map(pages.map((page) => [page.page, page]));
  const answers = new Map(found.data.map(({ number, blocks }) => [number, blocks]));
  const assigned = new Set(
    found.data.flatMap(({ blocks }) => blocks.map(({ page, block }) => `${page}/${block}`)),
  );
  return {
    blocksOf: (number) =>
      (answers.get(number) ?? []).flatMap(({ page, block }) => {
        const read = byPage.get(page)?.blocks[block];
        return read === undefined || read.crossedOut ? [] : [{ page, box: read.box, text: read.text }];
      }),
    stray: pages.flatMap(({ page, blocks, unread }) => [
      ...blocks.flatMap(({ box, crossedOut, text }, block) =>
        crossedOut || isBlankText(text) || assigned.has(`${page}/${block}`) ? [] : [{ page, box }],
      ),
      ...unread.map((box) => ({ page, box })),
    ]),
  };
};
