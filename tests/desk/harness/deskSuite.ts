import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { buildPage } from '@evaluation/desk/build';
import { findInstallation } from '@evaluation/platform/installation';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { startService, type TestService } from '../../harness/service.ts';
import { launchBrowser } from './browser.ts';

export interface DeskSuite {
  service: TestService;
  browser: Browser;
  /** Address of the desk, without a slash at its end. */
  url: string;
  /** The admin that the first start has provisioned, and the institute of `service.api`. */
  admin: { email: string; password: string };
  instituteId: string;
  /** Core's address, and what a desk needs to call it. */
  coreUrl: string;
  coreAccess: { token: string; actorSigningKey: string };
  /** A browser of its own: cookies and storage are shared with no other. Errors of its pages are collected. */
  newBrowser(): Promise<DeskBrowser>;
}

interface DeskBrowser {
  context: BrowserContext;
  page: Page;
  /** Uncaught errors and refusals of the content security policy so far. */
  problems: string[];
}

const SIZE = { width: 1280, height: 720 };

/**
 * The set-up of a browser test file: `const desk = await deskSuite();` at its top. Starts one service with the desk
 * and one Chromium, which end with the file.
 *
 * @param settings of the service, besides those of every test
 */
export const deskSuite = async (settings: Record<string, string> = {}): Promise<DeskSuite> => {
  const [, service, browser] = await Promise.all([
    buildPage(() => {}),
    startService(settings),
    launchBrowser(),
  ]);
  afterAll(async () => {
    await browser.close();
    await service.close();
  });
  const installation = await findInstallation(service.environment['DATA_DIR'] ?? '');
  if (installation === null) throw new Error('there is no installation');
  const { desk, first_key: firstKey, core_url: coreUrl, tokens, actor_signing_key } = installation;
  if (desk?.url == null || firstKey == null || coreUrl == null) throw new Error('the service has no desk');
  return {
    service,
    browser,
    url: desk.url,
    admin: { email: desk.email, password: desk.password },
    instituteId: firstKey.institute_id,
    coreUrl,
    coreAccess: { token: tokens.public, actorSigningKey: actor_signing_key },
    newBrowser: async () => {
      const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', reducedMotion: 'reduce' });
      // Pages without HTTPS do not have this function. The address of the tests counts as secure.
      await context.addInitScript('delete Crypto.prototype.randomUUID');
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => void problems.push(String(error)));
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
      });
      return { context, page, problems };
    },
  };
};

/** Signs in on the page, as a person does, and waits for the frame. */
export const signIn = async (
  desk: Pick<DeskSuite, 'url' | 'admin'>,
  page: Page,
  { email, password } = desk.admin,
): Promise<void> => {
  await page.goto(`${desk.url}/sign-in`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
};

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** WCAG 2.2 A and AA. In dark colours only the contrast is looked at, because nothing else depends on colours. */
export const expectNoAxeViolations = async (page: Page): Promise<void> => {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    // A colour that is still changing lies between those of the two schemes.
    const hasChanged = () =>
      page.evaluate<boolean>(
        `document.documentElement.dataset.mantineColorScheme === '${colorScheme}' &&
          !document.getAnimations().some((each) => each instanceof CSSTransition && each.playState === 'running')`,
      );
    await expect.poll(hasChanged, { timeout: 10_000 }).toBe(true);
    const runOnly = colorScheme === 'dark' ? ['color-contrast'] : RULES;
    const found = await violationsOf(page, runOnly);
    expect(found.map((violation) => `${colorScheme} ${violation}`)).toEqual([]);
  }
};

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** @param runOnly tags or names of rules. @returns rule and elements of each violation */
const violationsOf = async (page: Page, runOnly: readonly string[]): Promise<string[]> => {
  // The script stays until the browser loads another document.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(await readFile(AXE, 'utf8'));
  return page.evaluate<string[]>(
    `axe.run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))`,
  );
};

/** The page is not wider than the window. Scripts for the page are texts: tests have no types of the DOM. */
export const expectNoSidewaysScroll = async (page: Page): Promise<void> => {
  const surplus = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(surplus).toBe(0);
};
