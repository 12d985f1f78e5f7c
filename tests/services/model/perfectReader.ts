import { asObject, asText, jsonLinesIn, schemaOf, userPartsOf } from './chatRequest.ts';
import type { ChatRequest, Json, JsonObject } from './chatRequest.ts';
import { valueFromSchema } from './fromSchema.ts';
import type { JudgementTruth, PageTruth, Truth } from './truth.ts';

/**
 * Answers from the truth that a test gave. Reads the service's prompts by their text: "Page N" before an image to
 * read, "Context page N" before one only shown, records as JSON lines, the answer between <<<ANSWER …>>> lines.
 * Without truth it invents a plausible answer; for an unknown schema, any valid value.
 */
export const answerFor = (body: ChatRequest, truth: Truth): Json => {
  const { name, schema } = schemaOf(body);
  switch (name) {
    case 'read_pages':
      return readPages(body, truth);
    case 'align_answers':
      return alignAnswers(body, truth);
    case 'judge_answer':
      return 'status' in asObject(schema['properties']) ? readObjective(body, truth) : judge(body, truth);
    case 'make_rubric':
      return makeRubric(body, truth);
    case 'preflight_vision':
      return { letters: truth.letters ?? '' };
    case 'preflight_context':
      return codeWords(textsOf(body).join('\n'));
    default:
      return valueFromSchema(schema);
  }
};

/** The code words of the preflight's text; UNKNOWN for a word that was cut off with its line. */
const codeWords = (text: string): Json => {
  const word = (which: string) =>
    new RegExp(
      `^This is the (?:beginning|end) of the text\\. The ${which} code word is (\\w+)\\.$`,
      'm',
    ).exec(text)?.[1] ?? 'UNKNOWN';
  return { first: word('first'), last: word('last') };
};

/** Two criteria with half of the marks each, or one criterion for half a mark. */
const makeRubric = (body: ChatRequest, truth: Truth): Json => {
  const record = questionIn(textsOf(body).join('\n'));
  const label = asText(record['question']);
  const marks = Number(record['max_marks']);
  const first = Math.ceil(marks) / 2;
  const criteria = truth.rubrics?.[label] ?? [
    { name: 'Claim', marks: first },
    ...(marks > first ? [{ name: 'Reason', marks: marks - first }] : []),
  ];
  return {
    criteria: criteria.map((criterion) => ({
      name: criterion.name,
      marks: criterion.marks,
      keywords: [],
      guidance: `What question ${label} asks for.`,
    })),
  };
};

const readPages = (body: ChatRequest, truth: Truth): Json => {
  const pages: Json[] = [];
  let page: number | null = null;
  /** A page can be a continuation only when the request also shows the page before it. */
  let seesBefore = false;
  for (const part of userPartsOf(body)) {
    if ('text' in part) {
      const [, isContext, number] = /^(?:(Context p)|P)age (\d+)\b/.exec(part.text) ?? [];
      if (number !== undefined) page = isContext === undefined ? Number(number) : null;
      continue;
    }
    if (page === null) {
      seesBefore = true;
      continue;
    }
    const goesOn = seesBefore;
    seesBefore = true;
    const known = truth.pagesBySha256?.[part.imageSha256] ?? truth.pagesByNumber?.[page] ?? madeUp(page);
    pages.push({
      page,
      top: known.top ?? 'top',
      legibility: known.legibility ?? 1,
      language: known.language ?? 'en',
      blocks: known.blocks.map((block, index) => ({
        label: block.label ?? null,
        continues: (index > 0 || goesOn) && (block.continues ?? false),
        text: block.text,
        crossed_out: block.crossedOut ?? false,
        box: block.box ?? spread(index, known.blocks.length),
      })),
      printed: known.printed ?? [],
    });
  }
  return { pages };
};

const madeUp = (page: number): PageTruth => ({
  blocks: [{ label: `Q${page}`, text: `What is written on page ${page}.` }],
});

/** Places blocks without a box one below the other. */
const spread = (index: number, count: number): { x: number; y: number; width: number; height: number } => ({
  x: 0.1,
  y: 0.05 + (0.9 * index) / count,
  width: 0.8,
  height: 0.9 / count,
});

const alignAnswers = (body: ChatRequest, truth: Truth): Json => {
  const records = textsOf(body).flatMap(jsonLinesIn);
  const questions = records.filter((record) => 'number' in record);
  const blocks = records.filter((record) => 'block' in record);
  const claims = new Map<Json, { page: Json; block: Json }[]>();
  let current: Json = null;
  for (const block of blocks) {
    if (block['crossed_out'] === true) continue;
    const core = bare(block['label'] ?? null);
    const question = questions.find(({ label }) => core !== '' && bare(label ?? null) === core);
    if (question !== undefined) current = question['number'] ?? null;
    else if (block['continues'] !== true) current = null;
    if (current === null) continue;
    const place = { page: block['page'] ?? null, block: block['block'] ?? null };
    claims.set(current, [...(claims.get(current) ?? []), place]);
  }
  const answers = questions.flatMap(({ number }) => {
    const places = truth.alignment?.[Number(number)] ?? claims.get(number ?? null) ?? [];
    return places.length === 0 ? [] : [{ number: number ?? null, blocks: places }];
  });
  return { answers };
};

const judge = (body: ChatRequest, truth: Truth): Json => {
  const { known, records, answer } = judged(body, truth);
  const criteria = records.filter((record) => 'criterion' in record);
  const awards = criteria.map(({ criterion, marks }, index) => [
    `criterion_${asText(criterion)}`,
    {
      evidence: known.evidence === undefined ? firstWords(answer) : known.evidence,
      reason: `Criterion ${asText(criterion)} was looked for in the answer.`,
      awarded: known.awards?.[index] ?? marks ?? 0,
      certainty: known.certainty ?? 'certain',
    },
  ]);
  return {
    ...Object.fromEntries(awards),
    addresses_grader: known.addressesGrader ?? false,
    feedback: known.feedback ?? 'A clear answer. Give one more example next time.',
  };
};

const readObjective = (body: ChatRequest, truth: Truth): Json => {
  const { known, records, answer } = judged(body, truth);
  const options = records.filter((record) => 'option' in record).map(({ option }) => asText(option));
  const named = options.filter((option) => bare(option) === bare(answer));
  const feedback = known.feedback ?? 'Read the question once more.';
  return {
    status: known.status ?? 'answered',
    evidence: known.evidence === undefined ? firstWords(answer) : known.evidence,
    option_labels: known.options ?? named,
    value: options.length > 0 ? null : (known.value ?? answer.trim()),
    certainty: known.certainty ?? 'certain',
    feedback_if_right: known.feedback ?? 'Well done.',
    feedback_if_wrong: feedback,
    addresses_grader: known.addressesGrader ?? false,
  };
};

const judged = (
  body: ChatRequest,
  truth: Truth,
): { known: JudgementTruth; records: JsonObject[]; answer: string } => {
  const texts = textsOf(body);
  const text = texts.join('\n');
  const label = asText(questionIn(text)['question']);
  const answer = /<<<ANSWER (\w+)>>>\n([\s\S]*)\n<<<END ANSWER \1>>>/.exec(text)?.[2] ?? '';
  const records = texts.filter((part) => !part.includes('<<<ANSWER')).flatMap(jsonLinesIn);
  return { known: truth.judgements?.[label] ?? {}, records, answer };
};

const questionIn = (text: string): JsonObject => {
  const record = /^Question (\{.*\}):$/m.exec(text)?.[1] ?? '{}';
  return jsonLinesIn(record)[0] ?? {};
};

const textsOf = (body: ChatRequest): string[] =>
  userPartsOf(body).flatMap((part) => ('text' in part ? [part.text] : []));

const firstWords = (answer: string): string | null => {
  const words = answer.trim().split('\n')[0]?.split(' ').slice(0, 8).join(' ') ?? '';
  return words === '' ? null : words;
};

/** The label without "Q", "Ans", "contd.", case and punctuation. */
const bare = (label: Json): string =>
  asText(label)
    .toLowerCase()
    .replace(/contd.*$/, '')
    .replace(/^\W*(?:question|answer|ans|q)(?=\W*\d)/, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
