/*
 * Blocks of a page of `docs/api` that a test runs, in the order of the page:
 *
 *   ```http request      a request: method and path, headers, an empty line, the body
 *   ```http response     its answer: status line, relevant headers, an empty line, the body
 *   ```sh                a command with curl; $BASE and $KEY are given, $EXAM_ID is the value of `<exam_id>`
 *   ```json              the output of the command before it
 *   <!-- worker: grade <submission_id> -->   a worker grades the submission now
 *
 * Blocks inside a comment are run too, and not shown: they set up the example.
 */

export type Step =
  | { kind: 'request'; line: number; method: string; path: string; headers: [string, string][]; body: string }
  | { kind: 'response'; line: number; status: number; headers: [string, string][]; body: string }
  | { kind: 'command'; line: number; command: string }
  | { kind: 'output'; line: number; body: string }
  | { kind: 'worker'; line: number; submission: string };

const STEP = /```(http request|http response|sh|json)\n([^]*?)\n```|<!-- worker: grade <(\w+)> -->/g;

/** @throws Error for an answer without its request, or a request without its answer */
export const stepsOf = (page: string): Step[] => {
  const steps = [...page.matchAll(STEP)].map((found): Step => {
    const line = page.slice(0, found.index).split('\n').length;
    const [, language, text = '', submission] = found;
    if (submission !== undefined) return { kind: 'worker', line, submission };
    if (language === 'sh') return { kind: 'command', line, command: text };
    if (language === 'json') return { kind: 'output', line, body: text };
    const { first, headers, body } = messageOf(text);
    if (language === 'http response') {
      return { kind: 'response', line, status: Number(first.split(' ')[1]), headers, body };
    }
    const [method = '', path = ''] = first.split(' ');
    return { kind: 'request', line, method, path, headers, body };
  });
  steps.forEach((step, index) => {
    const before = steps[index - 1]?.kind;
    const isPaired =
      (step.kind !== 'response' || before === 'request') &&
      (step.kind !== 'output' || before === 'command') &&
      (before !== 'request' || step.kind === 'response');
    if (!isPaired) throw new Error(`line ${step.line}: a ${step.kind} after ${before ?? 'nothing'}`);
  });
  return steps;
};

const messageOf = (text: string): { first: string; headers: [string, string][]; body: string } => {
  const end = text.indexOf('\n\n');
  const [first = '', ...lines] = (end < 0 ? text : text.slice(0, end)).split('\n');
  return {
    first,
    headers: lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
    body: end < 0 ? '' : text.slice(end + 2),
  };
};
