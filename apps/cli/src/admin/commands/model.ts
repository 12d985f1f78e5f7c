import type { Command } from 'commander';
import type { PreflightStep } from '@evaluation/grader';
import type { GraderSettings } from '@evaluation/platform/settings';
import { CommandFailure } from '../failures.ts';
import { example, print } from '../output.ts';

export const addModelCommands = (program: Command): void => {
  const model = program.command('model').description('The grading model');
  model
    .command('check')
    .description(
      'Ask the model endpoint of these settings (OPENAI_BASE_URL, GRADER_MODEL, …) whether it can grade: whether it ' +
        'answers, keeps to a schema, sees images and keeps long texts. Needs no running service, and costs about ' +
        '15,000 tokens. Exit code 1 when a lane would take no runs',
    )
    .addHelpText('after', example('model check'))
    .action(checkModel);
};

interface LaneChecked {
  lane: string;
  takes_runs: boolean;
  checks: PreflightStep[];
}

const checkModel = async (_options: object, command: Command): Promise<void> => {
  const { readGraderSettings } = await import('@evaluation/platform/settings');
  const { grader } = readGraderSettings();
  if (grader.provider === 'baseline') {
    print({ grader: 'baseline', lanes: [] }, command, [
      'The offline baseline marks: there is no model to check.',
    ]);
    return;
  }
  const endpoint = new URL(grader.baseUrl).origin;
  const lanes = await checkLanes(grader);
  print({ grader: 'openai', model: grader.model, endpoint, lanes }, command, [
    `model ${grader.model} at ${endpoint}`,
    ...(await Promise.all(lanes.map(describe))).flat(),
  ]);
  const shut = lanes.filter(({ takes_runs }) => !takes_runs).map(({ lane }) => lane);
  if (shut.length > 0) {
    throw new CommandFailure(
      'model_unavailable',
      `With this model the ${shut.join(' and the ')} lane would take no runs.`,
    );
  }
};

const checkLanes = async (
  options: Extract<GraderSettings['grader'], { provider: 'openai' }>,
): Promise<LaneChecked[]> => {
  const { createGrader, lanePreflight } = await import('@evaluation/grader');
  const { RUN_LANES } = await import('@evaluation/jobs-contract');
  const grader = await createGrader({ ...options, maxConcurrentCalls: 1 });
  const checked: LaneChecked[] = [];
  try {
    for (const lane of RUN_LANES) {
      const { steps, failed } = await grader.preflight(lanePreflight(lane), new AbortController().signal);
      checked.push({ lane, takes_runs: failed === null, checks: steps });
    }
  } finally {
    await grader.close();
  }
  return checked;
};

const describe = async ({ lane, takes_runs, checks }: LaneChecked): Promise<string[]> => {
  const { UNAVAILABLE } = await import('@evaluation/grader');
  return [
    `${lane} lane: ${takes_runs ? 'takes runs' : 'takes no runs'}`,
    ...checks.map(({ check, outcome, reason, detail }) => {
      const numbers = Object.entries(detail).map(([name, value]) => `${name} ${value}`);
      const why =
        reason === null ? [] : [`${reason}: ${UNAVAILABLE[reason].clause}; ${UNAVAILABLE[reason].remedy}`];
      return [`  ${check.padEnd(9)} ${outcome}`, ...why, ...numbers].join('  ');
    }),
  ];
};
