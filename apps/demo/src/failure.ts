/** The demo cannot go on; the message is all that its reader gets, so it says what to do. */
export class DemoFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'DemoFailure';
    this.exitCode = exitCode;
  }
}
