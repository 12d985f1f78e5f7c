import { describe, expect, test } from 'vitest';
import {
  drawJob,
  inspectJob,
  MalformedJob,
  messageId,
  runJob,
  runStopped,
  UnknownJobVersion,
} from './index.ts';

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const run_id = 'b4f9b6f2-5c1e-4a77-9a5a-0d8f6f0d7a11';
const institute_id = 'ce0a3f1e-8a53-4ab4-8f0a-6f0c7a3f3a52';
const submission_id = '1f6c0f57-7e0c-4f6c-9f0d-4b3c8f6b2a90';
const upload_id = '7d8e26bb-65c8-4a75-8d05-3f27c0a4f8a0';

describe('job messages', () => {
  test('decode returns the encoded message', () => {
    const run = { version: 1 as const, run_id, institute_id, delivery: 3 };
    expect(runJob.decode(runJob.encode(run))).toEqual(run);
    const inspect = { version: 1 as const, upload_id, institute_id, delivery: 1 };
    expect(inspectJob.decode(inspectJob.encode(inspect))).toEqual(inspect);
    const draw = { version: 1 as const, submission_id, institute_id, delivery: 2 };
    expect(drawJob.decode(drawJob.encode(draw))).toEqual(draw);
    const stopped = { version: 1 as const, run_id, fence: 7 };
    expect(runStopped.decode(runStopped.encode(stopped))).toEqual(stopped);
  });

  test('a field that a newer release added is ignored', () => {
    expect(runJob.decode(bytes({ version: 1, run_id, institute_id, delivery: 1, priority: 'high' }))).toEqual(
      {
        version: 1,
        run_id,
        institute_id,
        delivery: 1,
      },
    );
  });

  test('an unknown version is refused as UnknownJobVersion, whatever its fields are', () => {
    expect(() => runJob.decode(bytes({ version: 2, runs: [run_id] }))).toThrow(UnknownJobVersion);
    expect(() => runJob.decode(bytes({ version: 2, runs: [run_id] }))).toThrow(/job run: version 2/);
  });

  test.each([
    ['no JSON', '{'],
    ['no object', 'null'],
    ['no version', { run_id, institute_id, delivery: 1 }],
    ['an invalid id', { version: 1, run_id: 'secret-answer', institute_id, delivery: 1 }],
    ['delivery 0', { version: 1, run_id, institute_id, delivery: 0 }],
    ['half a delivery', { version: 1, run_id, institute_id, delivery: 1.5 }],
    ['a version that is text', { version: '1', run_id, institute_id, delivery: 1 }],
  ])('%s is a malformed job', (_name, value) => {
    expect(() => runJob.decode(bytes(value))).toThrow(MalformedJob);
  });

  test('invalid UTF-8 is a malformed job', () => {
    expect(() => runJob.decode(new Uint8Array([0xff, 0xfe, 0x00]))).toThrow(MalformedJob);
  });

  test('the error of a malformed job does not contain the text of the message', () => {
    try {
      runJob.decode(bytes({ version: 1, run_id: 'secret-answer', institute_id, delivery: 1 }));
      expect.unreachable();
    } catch (error) {
      expect(String(error)).toContain('run_id');
      expect(String(error)).not.toContain('secret-answer');
    }
  });

  test('two deliveries of one run have different message ids', () => {
    expect(messageId(run_id, 1)).not.toBe(messageId(run_id, 2));
  });
});
