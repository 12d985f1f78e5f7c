import type { Browser, Page, Route } from 'playwright-core';
import type { SeenMark } from '../../../apps/desk/web/src/marking/queue/queueState.ts';
import { seenMarkOf } from '../../../apps/desk/web/src/marking/queue/sendDecision.ts';
import type { Exam } from '@evaluation/rest-contract/schemas';
import type { Random } from '../../harness/seededRandom.ts';
import type { Examiner } from './examiner.ts';

/*
 * An examiner in a browser of its own: the marking screen, driven by its labels. Calls are lost before or after their
 * effect, and the page is loaded again at any time. `stored` and `read` are filled from the answers that the page gets.
 */

const FAULTS = 0.15;
/** A page that cannot be loaded, because the service starts again, is left for the next step. */
const STEP_MS = 5_000;
const TRIES = 60;

interface Marked {
  question_id: string;
  awarded: number | null;
  review: { edited_at: string | null; approved: boolean };
}

/** @param cookie of a session, as `name=value` */
export const newBrowserExaminer = async (
  browser: Browser,
  { url, exam }: { url: string; exam: Pick<Exam, 'id' | 'questions'> },
  { name, cookie }: { name: string; cookie: string },
  random: Random,
): Promise<Examiner> => {
  const { questions } = exam;
  let isFaulty = true;
  let place = '';
  const stored: Examiner['stored'] = new Map();
  const read: Examiner['read'] = new Set();
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const [cookieName = '', value = ''] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name: cookieName, value, url }]);

  /** Notes what an answer tells the examiner: a stored decision, or the times of marks that the page shows. */
  const noteAnswer = (route: Route, data: unknown): void => {
    const request = route.request();
    if (request.url().endsWith('/submissions.override')) {
      const id = request.headers()['idempotency-key'] ?? '';
      const { submission_id, question_id, body, seen } = request.postDataJSON() as {
        submission_id: string;
        question_id: string;
        body: { awarded: number };
        seen: SeenMark;
      };
      const change = { kind: 'mark', awarded: body.awarded, reason: null, reviewer: name } as const;
      const decision = { id, submission_id, question_id, change, seen, held: null };
      stored.set(id, { decision, stored: seenMarkOf(data as Marked) });
    } else if (request.url().endsWith('/desk.marking.screen')) {
      for (const { result } of (data as { questions: { result: Marked }[] }).questions)
        if (result.review.edited_at !== null) read.add(result.review.edited_at);
    } else if (request.url().endsWith('/desk.marking.changes')) {
      const { mark } = data as { mark: SeenMark };
      if (mark.edited_at !== null) read.add(mark.edited_at);
    }
  };
  await context.route('**/trpc/**', async (route) => {
    try {
      if (isFaulty && random() < FAULTS) return await route.abort();
      const response = await route.fetch();
      if (isFaulty && random() < FAULTS) return await route.abort();
      const body = (await response.json().catch(() => null)) as { result?: { data: unknown } } | null;
      // Noted before the page gets the answer, because the page may act on it at once.
      if (response.status() === 200 && body?.result !== undefined) noteAnswer(route, body.result.data);
      return await route.fulfill({ response });
    } catch {
      // The service is away, or the page has left.
      return route.abort().catch(() => {});
    }
  });
  const page: Page = await context.newPage();
  const marks = page.getByRole('spinbutton', { name: 'Marks' });

  const open = async (submissionId: string, questionId: string): Promise<void> => {
    const search = new URLSearchParams({ order: 'question', submission: submissionId, question: questionId });
    const address = `${url}/exams/${exam.id}/mark?${search.toString()}`;
    const isLoaded = place !== '';
    place = '';
    // A link of the page does the same; loading the page costs ten times as much.
    if (isLoaded) await page.evaluate(`history.pushState(null, '', ${JSON.stringify(address)})`);
    else await page.goto(address, { timeout: STEP_MS });
    const label = exam.questions.find(({ id }) => id === questionId)?.label;
    await page.getByRole('heading', { name: `Question ${label}`, exact: true }).waitFor({ timeout: STEP_MS });
    await marks.waitFor({ timeout: STEP_MS });
    place = `${submissionId} ${questionId}`;
  };
  const saved = page.getByRole('status').getByText('Saved', { exact: true });

  /** Decides on a held mark of the question that is shown. */
  const resolve = async (): Promise<void> => {
    const choice = random() < 0.5 ? 'Use my mark' : 'Discard my mark';
    const button = page.getByRole('button', { name: choice });
    if (await button.isVisible()) await button.click({ timeout: STEP_MS });
  };

  return {
    name,
    stored,
    read,
    look: async (submissionId) =>
      open(submissionId, questions[Math.floor(random() * questions.length)]?.id ?? ''),
    decide: async (submissionId, questionId, awarded) => {
      try {
        if (place !== `${submissionId} ${questionId}`) await open(submissionId, questionId);
        await marks.fill(String(awarded), { timeout: STEP_MS });
        await page.getByRole('button', { name: 'Confirm', exact: true }).click({ timeout: STEP_MS });
      } catch {
        place = '';
      }
    },
    loadAgain: async () => {
      place = '';
      await page.reload({ timeout: STEP_MS }).catch(() => {});
    },
    settle: async (submissionId) => {
      isFaulty = false;
      for (let tries = 1; ; tries += 1) {
        const questionId = questions[tries % questions.length]?.id ?? '';
        // Loads the page again now and then, because the service was killed meanwhile.
        if (tries % 4 === 0) place = '';
        const isDone = await open(submissionId, questionId)
          .then(() => saved.waitFor({ timeout: 1_000 }))
          .then(
            () => true,
            () => false,
          );
        if (isDone) return;
        if (tries === TRIES) throw new Error(`${name} has marks that are not stored`);
        await resolve().catch(() => {});
      }
    },
    close: () => context.close(),
  };
};
