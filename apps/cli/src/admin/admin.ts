import { Command, CommanderError } from 'commander';
import { addCandidateCommands } from './commands/candidate.ts';
import { addCreditCommands } from './commands/credits.ts';
import { addEvidenceCommands } from './commands/evidence.ts';
import { addGuideCommands } from './commands/guide.ts';
import { addRegradeCommands } from './commands/regrade.ts';
import { addInstituteCommands } from './commands/institute.ts';
import { addKeyCommands } from './commands/key.ts';
import { addModelCommands } from './commands/model.ts';
import { addReconcileCommand } from './commands/reconcile.ts';
import { addStaffCommands } from './commands/staff.ts';
import { CommandFailure, INVALID_ARGUMENTS, refusalOf } from './failures.ts';
import { example } from './output.ts';

/** The command as a person types it, so that usage and examples can be copied. */
const PROGRAM = 'npm run --silent admin --';

/**
 * Runs one command. The result goes to stdout, an error to stderr; both are one JSON object with `--json`.
 * @returns the exit code: 0 done, 1 refused or not reachable, 2 wrong arguments, or a wrong file that they name
 */
export const runAdmin = async (argv: readonly string[]): Promise<number> => {
  // Read from `argv`, so that an error in the arguments is reported as JSON too.
  const json = argv.includes('--json');
  const program = new Command(PROGRAM)
    .description(
      'Provisions institutes, API keys, accounts of staff and credits of a running answer-evaluation service, writes and replays the ' +
        'evidence of marks, exports and erases the data of a candidate, applies marks learned from teachers, regrades after a changed rubric, and checks the model. ' +
        'Talks to core at CORE_URL with CORE_CONTROL_TOKEN; without them, to the service that `npm start` runs here ' +
        '(its address and token are in DATA_DIR/service.json).',
    )
    .option('--json', 'print exactly one JSON object (errors too, on stderr)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText(
      'after',
      example('institute create --name "Riverside School" --credits 500') +
        'Each command has its own --help with an example; each takes --json.\n' +
        'Exit codes: 0 done, 1 refused or not reachable, 2 wrong arguments, or a wrong file that they name.\n',
    )
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ outputError: () => {}, ...(json ? { writeErr: () => {} } : {}) });
  addInstituteCommands(program);
  addKeyCommands(program);
  addStaffCommands(program);
  addCreditCommands(program);
  addReconcileCommand(program);
  addModelCommands(program);
  addEvidenceCommands(program);
  addCandidateCommands(program);
  addGuideCommands(program);
  addRegradeCommands(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    return report(await failureBehind(error), json);
  }
};

/** Returns null when help was requested, which is not an error. */
const failureBehind = async (error: unknown): Promise<CommandFailure | null> => {
  if (!(error instanceof CommanderError)) return await refusalOf(error);
  if (error.exitCode === 0) return null;
  const message =
    error.code === 'commander.help'
      ? `A command is missing; ${PROGRAM} --help lists them.`
      : error.message.replace(/^error: /, '').replace(/\n.*/s, '');
  return new CommandFailure(INVALID_ARGUMENTS, message, 2);
};

const report = (failure: CommandFailure | null, json: boolean): number => {
  if (failure === null) return 0;
  const { code, message } = failure;
  process.stderr.write(json ? `${JSON.stringify({ error: { code, message } })}\n` : `error: ${message}\n`);
  return failure.exitCode;
};
