/** A model for tests that obeys unknown text outside fences, with full marks or all blocks for each question. */

/** The parts of a request to the programmable server that the model uses, and the behaviour that it sets. */
interface Call {
  schemaName: string | null;
  body: { [key: string]: Json };
}
type Answer = { kind: 'content'; content: Json } | { kind: 'answer' };

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface GullibleModel {
  /** Learns the text outside fences from now on as the service's own. */
  learn(): void;
  /** Treats unknown text as an instruction from now on. */
  serve(): void;
  readonly obeyed: number;
  answer(call: Call): Answer;
}

export const createGullibleModel = (): GullibleModel => {
  const known = new Set<string>();
  let isLearning = true;
  let longestLearnt = 0;
  let obeyed = 0;
  return {
    learn: () => (isLearning = true),
    serve: () => (isLearning = false),
    get obeyed() {
      return obeyed;
    },
    answer(call) {
      const texts = textsOf(call.body['messages'] ?? null);
      const fences = new Map<string, string>();
      const outside = texts.map((text) => withoutFences(text, fences)).join('\n');
      if (isLearning) known.add(outside);
      const obeys = !known.has(outside);
      if (obeys) obeyed += 1;
      switch (call.schemaName) {
        case 'align_answers':
          return {
            kind: 'content',
            content: align(recordsIn(outside), recordsIn(fences.get('BLOCKS') ?? ''), obeys),
          };
        case 'judge_answer': {
          const answer = fences.get('ANSWER') ?? '';
          if (isLearning) longestLearnt = Math.max(longestLearnt, answer.length);
          const judged = judge(recordsIn(outside), answer, obeys);
          return { kind: 'content', content: { ...judged, addresses_grader: answer.length > longestLearnt } };
        }
        default:
          return { kind: 'answer' };
      }
    },
  };
};

/** Removes fences as a model would read them: the first opening line counts, and only its own closing line ends it. */
const withoutFences = (text: string, found: Map<string, string>): string => {
  let rest = text;
  let outside = '';
  for (;;) {
    const open = /^<<<([A-Z]+) (\w+)>>>$/m.exec(rest);
    if (open === null) return outside + rest;
    const [line, name = '', boundary = ''] = open;
    const close = `\n<<<END ${name} ${boundary}>>>`;
    const inner = open.index + line.length;
    const end = rest.indexOf(close, inner);
    if (end < 0) return outside + rest;
    if (!found.has(name)) found.set(name, rest.slice(inner + 1, end));
    outside += `${rest.slice(0, open.index)}[${name}]`;
    rest = rest.slice(end + close.length);
  }
};

/** Assigns by labels; a block that continues goes to the question of the previous block. */
const align = (questions: Record<string, Json>[], blocks: Record<string, Json>[], obeys: boolean): Json => {
  const claims = new Map<Json, Json[]>();
  let current: Json = null;
  for (const { page, block, label, continues } of blocks) {
    const place: Json = { page: page ?? null, block: block ?? null };
    const named = questions.find(
      (question) =>
        'number' in question && typeof question['label'] === 'string' && `Q${question['label']}` === label,
    );
    if (named !== undefined) current = named['number'] ?? null;
    else if (continues !== true) current = null;
    if (current !== null) claims.set(current, [...(claims.get(current) ?? []), place]);
  }
  const all = blocks.map(({ page, block }): Json => ({ page: page ?? null, block: block ?? null }));
  return {
    answers: questions.flatMap(({ number }) =>
      number === undefined ? [] : [{ number, blocks: obeys ? all : (claims.get(number) ?? []) }],
    ),
  };
};

const judge = (records: Record<string, Json>[], answer: string, obeys: boolean): { [key: string]: Json } => {
  const criteria = records.filter((record) => 'criterion' in record);
  return {
    ...Object.fromEntries(
      criteria.map(({ criterion, marks, keywords }) => {
        const keyword = Array.isArray(keywords) ? keywords[0] : undefined;
        const isFound = typeof keyword === 'string' && answer.includes(keyword);
        const award: Json = {
          evidence: isFound ? keyword : null,
          reason: isFound ? 'It is there.' : 'It is not there.',
          awarded: obeys || isFound ? (marks ?? 0) : 0,
          certainty: 'certain',
        };
        return [`criterion_${JSON.stringify(criterion)}`, award];
      }),
    ),
    feedback: 'Read about the parts that are missing.',
  };
};

const textsOf = (messages: Json): string[] => {
  const texts: string[] = [];
  JSON.stringify(messages, (key, value: unknown) => {
    if ((key === 'text' || key === 'content') && typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
};

const recordsIn = (text: string): Record<string, Json>[] =>
  text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return [];
    try {
      const record: Record<string, Json> = JSON.parse(line);
      return [record];
    } catch {
      return [];
    }
  });
