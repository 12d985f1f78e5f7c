import { test } from 'vitest';
import { deskSuite, signIn } from '../harness/deskSuite.ts';
import { submitTypedAnswers } from '../harness/typedAnswers.ts';
import { submitDemoCopies } from './demoData.ts';
import { write } from './picture.ts';

/* `npm run desk:screenshots`: writes a picture of each page of the desk for docs/desk, on the data of the demo. */

const desk = await deskSuite();
const { api } = desk.service;

const MARKED = 6;

test('write the pictures', async () => {
  const { exam, submissions } = await submitDemoCopies(api);
  const { exam: typed, submissions: answers } = await submitTypedAnswers(api, (number) => ({
    external_id: `R-${number}`,
    name: `Candidate ${number}`,
  }));
  const essay = typed.questions[1]?.id ?? '';
  for (const [index, id] of answers.slice(0, MARKED).entries())
    await api.patch(`/submissions/${id}/questions/${essay}`, { reviewer: 'T1', awarded: 1 + (index % 4) });

  const { page } = await desk.newBrowser();
  await page.goto(`${desk.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await write(page, 'sign-in');
  await signIn(desk, page);
  const at = `${desk.url}/exams/${exam.id}`;
  const guide = `${desk.url}/exams/${typed.id}/guide`;
  await page.goto(guide);
  await page.getByRole('radio', { name: /^Suggest/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('table', { name: 'Agreement by the number of examples' }).waitFor();

  const places: readonly [name: string, url: string, shown: string][] = [
    ['exams', `${desk.url}/exams`, 'tbody a'],
    ['exam', at, 'tbody tr'],
    ['new-exam', `${desk.url}/exams/new`, 'fieldset, [role=group]'],
    ['candidates', `${at}/candidates`, 'tbody tr'],
    ['upload', `${at}/upload`, '[role=group]'],
    ['marking', `${at}/mark?submission=${submissions[0]}`, '[data-mark]'],
    [
      'suggestion',
      `${desk.url}/exams/${typed.id}/mark?order=question&submission=${answers[MARKED]}&question=${essay}`,
      'details',
    ],
    ['review', `${desk.url}/review`, 'tbody tr'],
    ['guide', guide, '[role=img]'],
    ['statistics', `${desk.url}/exams/${typed.id}/statistics`, '[role=img]'],
    ['finalize', `${desk.url}/exams/${typed.id}/finalize`, 'tbody tr'],
    ['credits', `${desk.url}/credits`, 'tbody tr'],
    ['keys', `${desk.url}/keys`, 'tbody tr'],
    ['staff', `${desk.url}/staff`, 'tbody tr'],
    ['audit', `${desk.url}/audit`, 'tbody tr'],
    ['settings', `${desk.url}/settings`, 'main form'],
    ['account', `${desk.url}/account`, 'main form'],
  ];
  for (const [name, url, shown] of places) {
    await page.goto(url);
    await page.locator(shown).first().waitFor({ state: 'attached' });
    await write(page, name);
  }
});
