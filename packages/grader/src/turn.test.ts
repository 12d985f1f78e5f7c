import fc from 'fast-check';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { boxBeforeTurn, turnedBox, turnedJpeg } from './turn.ts';

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const box = fc
  .record({ x: fraction, y: fraction, right: fraction, bottom: fraction })
  .map(({ x, y, right, bottom }) => ({
    x: Math.min(x, right),
    y: Math.min(y, bottom),
    width: Math.abs(right - x),
    height: Math.abs(bottom - y),
  }));
const turn = fc.constantFrom(0 as const, 90 as const, 180 as const, 270 as const);

test('a box that is turned and mapped back keeps its place, and stays on the page', () => {
  fc.assert(
    fc.property(box, turn, (before, by) => {
      const turned = turnedBox(before, by);
      for (const edge of [turned.x, turned.y, turned.x + turned.width, turned.y + turned.height]) {
        expect(edge).toBeGreaterThanOrEqual(-1e-12);
        expect(edge).toBeLessThanOrEqual(1 + 1e-12);
      }
      const back = boxBeforeTurn(turned, by);
      for (const side of ['x', 'y', 'width', 'height'] as const) {
        expect(back[side]).toBeCloseTo(before[side], 12);
      }
    }),
  );
});

test.each([90, 180, 270] as const)('a box turned by %i degrees matches the turned picture', async (by) => {
  const dark = { left: 20, top: 12, width: 40, height: 8 };
  const ink = await sharp({ create: { ...dark, channels: 3, background: '#000' } })
    .png()
    .toBuffer();
  const page = await sharp({ create: { width: 200, height: 120, channels: 3, background: '#fff' } })
    .composite([{ input: ink, left: dark.left, top: dark.top }])
    .jpeg()
    .toBuffer();
  const jpeg = await turnedJpeg(page, by);
  const { width, height } = await sharp(jpeg).metadata();
  const there = turnedBox({ x: 0.1, y: 0.1, width: 0.2, height: 1 / 15 }, by);
  const region = {
    left: Math.round(there.x * width),
    top: Math.round(there.y * height),
    width: Math.round(there.width * width),
    height: Math.round(there.height * height),
  };
  // The region is a file of its own, because sharp computes statistics of whole files only.
  const { channels } = await sharp(await sharp(jpeg).extract(region).png().toBuffer()).stats();
  expect(channels[0]?.mean).toBeLessThan(20);
  const whole = await sharp(jpeg).stats();
  expect(whole.channels[0]?.mean).toBeGreaterThan(245);
});

test('an upright page is passed on unchanged', async () => {
  const bytes = Buffer.from('whatever it is');
  expect(await turnedJpeg(bytes, 0)).toBe(bytes);
});
