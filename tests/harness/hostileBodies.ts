/*
 * The most expensive known bodies to read, check or answer, one of each kind. All are within the byte limit, and any
 * key with the write scope may send them.
 */

interface HostileBody {
  name: string;
  path: string;
  body: Uint8Array<ArrayBuffer>;
  /** Expected statuses; 503 is also allowed when too many large bodies are being handled. */
  answers: readonly number[];
}

const exam = (rest: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(`{"title":"x","mode":"typed",${rest}}`));
const times = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(',');
const question = (index: number, rest: string): string =>
  `{"label":"${index}","type":"long_answer","max_marks":50,"text":"x",${rest}}`;
const candidate = (index: number, metadata: string): string =>
  `{"external_id":"h${index}","metadata":${metadata}}`;

/** Guidance of one criterion. Each word restarts the search for mark figures, and none is found. */
const GUIDANCE = 'certain '.repeat(250).slice(0, 1990);
const METADATA = `{${times(245, (index) => `"${index.toString(36).padStart(2, '0')}":10`)}}`;
/** The same with numbers that are stored as written. */
const EXACT_METADATA = `{${times(220, (index) => `"${index.toString(36).padStart(2, '0')}":1.0`)}}`;

/** @param scale 1: as large as a body may be */
export const hostileBodies = (scale = 1): HostileBody[] => {
  const post = (name: string, body: Uint8Array<ArrayBuffer>, ...answers: number[]): HostileBody => ({
    name,
    path: '/exams',
    body,
    answers,
  });
  const many = (count: number): number => Math.round(count * scale);
  return [
    post(
      'distinct unknown fields',
      exam(`"junk":{${times(many(2_900_000), (index) => `"k${index}":0`)}}`),
      422,
    ),
    post('unknown numbers', exam(`"junk":[${'0,'.repeat(many(2_900_000))}0]`), 422),
    post('unknown objects', exam(`"junk":[${'{"a":0},'.repeat(many(1_400_000))}0]`), 422),
    post(
      'unknown fields at the top',
      exam(times(many(2_000_000), (index) => `"k${index.toString(36)}":[]`)),
      422,
    ),
    // The next two have nearly as many values as are read.
    post(
      'distinct unknown fields that are read',
      exam(`"junk":[${times(many(700), (item) => `{${times(1000, (index) => `"k${item}-${index}":0`)}}`)}]`),
      201,
    ),
    post(
      'unknown objects that are read',
      exam(`"junk":[${times(many(370_000), (index) => `{"k${index}":0}`)}]`),
      201,
    ),
    post(
      'questions again and again',
      exam(times(many(60), () => `"questions":[${'{"options":[{},{},{}]},'.repeat(150)}{}]`)),
      422,
    ),
    post('questions that are nothing', exam(`"questions":[${'{},'.repeat(many(2_000_000))}{}]`), 422),
    post(
      'keywords',
      exam(
        `"questions":[${times(many(200), (n) => question(n, `"rubric":{"criteria":[${times(50, (c) => `{"name":"c${c}","marks":1,"keywords":[${times(50, (k) => `"k${k}"`)}]}`)}]}`))}]`,
      ),
      201,
    ),
    post(
      'guidance that almost names marks',
      exam(
        `"questions":[${times(many(200), (n) => question(n, `"rubric":{"criteria":[${times(10, (c) => `{"name":"c${c}","marks":5,"guidance":"${GUIDANCE}"}`)}]}`))}]`,
      ),
      201,
      422,
    ),
    post(
      'metadata of many fields',
      exam(`"candidates":[${times(many(2000), (n) => candidate(n, METADATA))}]`),
      201,
    ),
    post(
      'metadata of exact numbers',
      exam(`"candidates":[${times(many(2000), (n) => candidate(n, EXACT_METADATA))}]`),
      201,
    ),
    post(
      'metadata beyond its length',
      exam(`"candidates":[${times(many(2000), (n) => candidate(n, `{"k":[${'0,'.repeat(8000)}0]}`))}]`),
      422,
    ),
    post('one long text', exam(`"instructions":"${'x'.repeat(many(90_000_000))}"`), 422),
    post(
      'mistakes only',
      exam(`"candidates":[${times(many(2000), () => '{"external_id":1,"name":2,"roll_number":3}')}]`),
      422,
    ),
    post(
      'escapes',
      exam(
        `"instructions":"${'\\u20ac'.repeat(many(4000))}","questions":[${times(many(200), (n) => question(n, `"model_answer":"${'\\ud83d\\ude00'.repeat(19_000)}"`))}]`,
      ),
      201,
    ),
    post(
      'nested without end',
      exam(
        `"junk":${'['.repeat(1000)}${']'.repeat(1000)},"more":[${`${'['.repeat(900)}${']'.repeat(900)},`.repeat(many(800))}0]`,
      ),
      201,
    ),
  ];
};
