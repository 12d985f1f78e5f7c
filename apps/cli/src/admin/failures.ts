export const INVALID_ARGUMENTS = 'invalid_arguments';

/** A command failed; `message` is for the user, `code` for a script. */
export class CommandFailure extends Error {
  readonly code: string;
  readonly exitCode: 1 | 2;

  constructor(code: string, message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'CommandFailure';
    this.code = code;
    this.exitCode = exitCode;
  }
}

export const refusalOf = async (error: unknown): Promise<CommandFailure> => {
  if (error instanceof CommandFailure) return error;
  const { failureOf } = await import('@evaluation/core-client');
  const { InstallationError } = await import('@evaluation/platform/installation');
  const { SettingsError } = await import('@evaluation/platform/settings');
  const failure = failureOf(error);
  if (failure !== null) return new CommandFailure(failure.code, failure.message);
  if (error instanceof InstallationError) return new CommandFailure('installation_unreadable', error.message);
  if (error instanceof SettingsError) return new CommandFailure('settings', error.message);
  // For calls that core refuses before any rule, the message is the tRPC error code (apps/core/src/server/trpc.ts).
  const text = error instanceof Error ? error.message : String(error);
  if (text === 'UNAUTHORIZED') {
    return new CommandFailure(
      'control_token_refused',
      'Core refused the control token: check CORE_CONTROL_TOKEN.',
    );
  }
  if (text === 'BAD_REQUEST') {
    return new CommandFailure(INVALID_ARGUMENTS, 'Core refused these arguments as not valid.', 2);
  }
  return new CommandFailure('internal_error', `Unexpected error: ${text}. See the log of the service.`);
};
