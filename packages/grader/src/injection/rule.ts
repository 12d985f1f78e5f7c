/** One way to address the grader. */
export interface Rule {
  name: string;
  /** Where it may begin. Global; every repetition in it is bounded, so that a search takes linear time. */
  begins: RegExp;
  /** Each has to occur within `within` characters after that. */
  needs?: RegExp[];
  /** Default 120. */
  within?: number;
  /** What has to occur may stand in a later sentence. */
  acrossSentences?: boolean;
}

const WITHIN = 120;

/** Where a pattern occurs. */
export const anywhere = (pattern: string): RegExp => new RegExp(pattern, 'g');

/** The name of the first rule that holds for a levelled text. */
export function firstMatch(rules: readonly Rule[], text: string): string | null {
  return rules.find((rule) => holds(rule, text))?.name ?? null;
}

function holds(
  { begins, needs = [], within = WITHIN, acrossSentences = false }: Rule,
  text: string,
): boolean {
  for (const match of text.matchAll(begins)) {
    const from = match.index + match[0].length;
    const ahead = text.slice(from, from + within);
    const reach = acrossSentences ? ahead : (/^[^]*?(?=[.!?](?:\s|$))/.exec(ahead)?.[0] ?? ahead);
    if (needs.every((needed) => needed.test(reach))) return true;
  }
  return false;
}
