/** The demo cannot continue. Only the message is printed, so it names what the user has to do. */
export class DemoFailure extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'DemoFailure';
    this.exitCode = exitCode;
  }
}
