import { expect, test } from 'vitest';
import { browserName } from './browserName.ts';

const APPLE = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('a user agent is named by its browser and system', () => {
  const names = [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${APPLE} Chrome/142.0.0.0 Safari/537.36`,
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${APPLE} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    `Mozilla/5.0 (Linux; Android 15; SM-X710) ${APPLE} SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36`,
    `Mozilla/5.0 (Linux; Android 10; K) ${APPLE} Chrome/142.0.0.0 Mobile Safari/537.36 OPR/93.0.0.0`,
    'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${APPLE} Chrome/142.0.0.0 Safari/537.36`,
  ].map(browserName);
  expect(names).toEqual([
    'Chrome, Windows',
    'Edge, Windows',
    'Samsung Internet, Android',
    'Opera, Android',
    'Firefox, Linux',
    'Safari, Mac',
    'Chrome, iPhone',
    'Safari, iPad',
    'Chrome, ChromeOS',
  ]);
});

test('an unknown user agent stays as it is', () => {
  expect(browserName('curl/8.14.1')).toBe('curl/8.14.1');
});
