import type { Page } from 'playwright-core';

/* Times inside a page, measured by the page itself. Scripts for the page are texts: tests have no types of the DOM. */

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(Math.ceil(share * sorted.length) - 1, sorted.length - 1)] ?? Number.NaN;
};

/**
 * Milliseconds from the beginning of the navigation until `isShown` is true in a frame. The browser keeps no file of
 * the page from earlier.
 */
export const paintOf = async (page: Page, url: string, isShown: string): Promise<number> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.goto(url, { waitUntil: 'commit' });
  const shown = await untilShown(page, isShown);
  await session.detach();
  return shown;
};

/** Waits until a frame in which the condition holds. @returns the time in the page, from its navigation */
export const untilShown = (page: Page, isShown: string): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const look = () => ((${isShown}) ? resolve(performance.now()) : requestAnimationFrame(look));
    look();
  })`);

/** Collects the durations of keys and clicks until the next paint; those below 16 ms count as 16. */
export const watchInteractions = (page: Page): Promise<void> =>
  page.evaluate<void>(`(() => {
    window.interactions = [];
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === 'keydown' || name === 'click') window.interactions.push(duration);
    }).observe({ type: 'event', durationThreshold: 16, buffered: false });
  })()`);

export const interactionsOf = (page: Page): Promise<number[]> =>
  page.evaluate<number[]>('window.interactions');

/** The canvas of the page of the copy holds ink. */
export const HAS_INK = `(() => {
  const canvas = document.querySelector('canvas');
  if (canvas === null || canvas.width < 400) return false;
  const small = Object.assign(document.createElement('canvas'), { width: 40, height: 40 });
  const context = small.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0, 40, 40);
  const { data } = context.getImageData(0, 0, 40, 40);
  for (let index = 0; index < data.length; index += 4)
    if (data[index] < 225 && data[index + 3] === 255) return true;
  return false;
})()`;

/**
 * Presses a key and waits for another copy.
 * @returns milliseconds from the key until its mark is shown, and until its page is drawn
 */
export const timeNext = async (page: Page, key: string): Promise<{ mark: number; page: number }> => {
  await page.evaluate<void>(`(() => {
    const before = new URL(location.href).searchParams.get('submission');
    const canvas = document.querySelector('canvas');
    window.next = new Promise((resolve) => {
      addEventListener('keydown', (event) => {
        const started = event.timeStamp;
        let mark = null;
        const look = () => {
          const isOther = new URL(location.href).searchParams.get('submission') !== before;
          if (isOther && mark === null && document.querySelector('input[type=number]') !== null)
            mark = performance.now() - started;
          const drawn = document.querySelector('canvas');
          if (mark !== null && drawn !== canvas && ${HAS_INK})
            resolve({ mark, page: performance.now() - started });
          else requestAnimationFrame(look);
        };
        look();
      }, { once: true, capture: true });
    });
  })()`);
  await page.locator('body').press(key);
  return page.evaluate<{ mark: number; page: number }>('window.next');
};
