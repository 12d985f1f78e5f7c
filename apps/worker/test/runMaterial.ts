import type { RunMaterial } from '@evaluation/core-client';

const ID = '0b2f6d5e-6c1a-4a50-9a3d-1f6f0d2f8e11';

export const runMaterial = (lane: RunMaterial['lane']): RunMaterial => ({
  run_id: ID,
  institute_id: ID,
  attempt: 1,
  rejudges: false,
  traceparent: null,
  fence: 1,
  token: 'T'.repeat(43),
  lease_seconds: 60,
  deadline_at: new Date(Date.now() + 600_000).toISOString(),
  lane,
  exam: {
    title: 'Science',
    subject: 'Science',
    level: 'school',
    board: null,
    class: null,
    instructions: null,
  },
  candidate: { name: null, external_id: 'C', roll_number: null },
  questions: [],
  answers: [],
  copy: null,
  page_readings: [],
  alignment: null,
  results: [],
  used: null,
  examples: [],
  overrides: [],
  ink: [],
});
