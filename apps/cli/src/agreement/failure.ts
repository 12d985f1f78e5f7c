/**
 * The command cannot continue. Only the message is printed, so it names what the user has to do. It never quotes an
 * answer.
 */
export class AgreementFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'AgreementFailure';
    this.exitCode = exitCode;
  }
}
