import type { CoreClient, Outputs } from '@evaluation/core-client';

export type MarksPage = Outputs['public']['desk']['statistics']['marks'];

const PAGE = 200;

/**
 * Pages of the marks of an exam, one in memory at a time.
 * @param details with the criteria and the feedback of each answer
 * @throws what core's client throws
 */
export async function* marksPages(
  core: CoreClient['public'],
  examId: string,
  details: boolean,
): AsyncGenerator<MarksPage> {
  let cursor: string | null = null;
  do {
    const page: MarksPage = await core.desk.statistics.marks.query({
      exam_id: examId,
      limit: PAGE,
      details,
      ...(cursor === null ? {} : { cursor }),
    });
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}
