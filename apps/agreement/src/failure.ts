/** The harness cannot go on; the message is all that its reader gets, so it says what to do and quotes no answer. */
export class AgreementFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'AgreementFailure';
    this.exitCode = exitCode;
  }
}
