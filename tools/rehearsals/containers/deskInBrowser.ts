import type { Submission } from '@evaluation/rest-contract/schemas';
import type { ApiClient } from '../../../tests/harness/api.ts';
import { launchBrowser } from '../../../tests/desk/harness/browser.ts';
import { drop } from '../../../tests/desk/harness/dropFiles.ts';
import { copyPdf } from '../../../tests/fixtures/fixtures.ts';

const WAIT_MS = 60_000;

/**
 * A teacher uploads a copy, sees a graded one, and downloads the results.
 * @param submission a graded copy
 * @returns what went wrong
 */
export const visitTheDesk = async (
  url: string,
  { email, password }: { email: string; password: string },
  api: ApiClient,
  submission: string,
): Promise<string[]> => {
  const wrong: string[] = [];
  const { body } = await api.get<Submission>(`/submissions/${submission}`);
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ locale: 'en-GB' });
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => void wrong.push(`the page: ${String(error)}`));
    await page.goto(`${url}/sign-in`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();

    await page.goto(`${url}/exams/${body.exam_id}/upload`);
    const base64 = copyPdf('weak').toString('base64');
    await drop(page, 'Drop PDF files here', [{ name: 'weak.pdf', base64, type: 'application/pdf' }]);
    await page.getByRole('row', { name: 'weak.pdf' }).getByText('Ready').waitFor();
    await page.getByRole('img', { name: 'First page of weak.pdf' }).waitFor();

    const address = `${url}/exams/${body.exam_id}/mark?order=copy&submission=${submission}`;
    await page.goto(address);
    await page.getByRole('region', { name: 'Page', exact: true }).getByRole('img').first().waitFor();

    await page.goto(`${url}/exams/${body.exam_id}/finalize`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Results as CSV' }).click(),
    ]);
    const failure = await download.failure();
    if (failure !== null) wrong.push(`the results: ${failure}`);
    return wrong;
  } finally {
    await browser.close();
  }
};
