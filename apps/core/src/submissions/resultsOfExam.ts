import { ExamResultsQuery, listed, type ResultList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import { findExam } from '../command/locks/findExam.ts';
import { closePage, openPage } from '../command/lists/page.ts';
import type { Services } from '../command/services.ts';
import { liveOfExam } from './listOfExam.ts';
import { resultRows, showResults } from './results.ts';
import { resultsThatFit } from './resultsThatFit.ts';

/** @throws DomainFailure exam_not_found, validation_failed, feature_not_available (`format=csv`), invalid_cursor */
export const resultsOfExam = (
  services: Services,
  actor: Actor,
  examId: string,
  query: unknown,
): Promise<ResultList> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const { finalized, include, ...request } = accept(ExamResultsQuery, query);
    const page = openPage(request, {
      instituteId: actor.institute_id,
      list: 'exam_results',
      filters: { exam_id: exam.id, finalized },
      defaultLimit: 20,
      signingKeys: services.settings.actorSigningKeys,
    });
    const chosen = liveOfExam(exam.id, page, { finalized });
    const { rows } = await resultRows(actor, chosen).execute(tx);
    // Questions are not read for the extra row that shows whether there is a next page, nor for results that do not
    // fit.
    const parts = listed(include);
    const fitting = await resultsThatFit(tx, actor.institute_id, rows.slice(0, page.limit), parts);
    const { data, ...rest } = await closePage(
      tx,
      { ...page, limit: fitting },
      rows,
      ({ updated_at, id }) => ({ updated_at: updated_at.toISOString(), id }),
    );
    return { data: await showResults(tx, actor.institute_id, data, parts), ...rest };
  });
