import { JOB_LANES, LANES, RUN_LANES, runLanes } from '@evaluation/jobs-contract';

const PAGE_LANES = RUN_LANES.filter((lane) => runLanes[lane].grades === 'pages');

const LISTS = {
  all: LANES,
  ofRuns: RUN_LANES,
  ofJobs: JOB_LANES,
  ofPages: PAGE_LANES,
  ofPdfs: [...PAGE_LANES, ...JOB_LANES],
} as const;

/** `templates/_lanes.tpl`: the table of contracts/jobs/src/lanes.ts in the form that the chart reads. */
export const lanesTemplate = (): string =>
  [
    '{{/* Generated from contracts/jobs/src/lanes.ts by `npm run generate:chart`. Each list is JSON. */}}',
    ...Object.entries(LISTS).map(
      ([name, lanes]) =>
        `{{- define "answer-evaluation.lanes.${name}" -}}${JSON.stringify(lanes)}{{- end -}}`,
    ),
    '',
  ].join('\n');
