/**
 * Imitations of the structure around an answer: edges of a prompt, messages of a chat, a judgement in our schema.
 * `detect.ts` normalizes the text first: lower case, no markup, single spaces. Each repetition has an upper bound, so
 * that a search takes linear time.
 */
interface Imitation {
  name: string;
  pattern: RegExp;
}

const OF_MARKING = String.raw`\b(?:correct|marks?|mark(?:ed|ing)|grad(?:e|es|ing)|scor(?:e|ing)|award|rubric|criteri\w{1,30}|candidate)\b`;
const ROLE = String.raw`(?:system|developer|assistant|admin(?:istrator)?|operator)`;
const WIRE_KEY = String.raw`"?(?:criterion|criteria|awarded|certainty|crossed out|continues|option labels|addresses grader|feedback|max marks|feedback if right|evidence)"? ?:`;

const found = (source: string): RegExp => new RegExp(source);

export const IMITATIONS: readonly Imitation[] = [
  {
    name: 'fence',
    pattern: found(
      String.raw`<{1,6} ?\/? ?end (?:of )?(?:the )?(?:answer|blocks?|pages?|student|candidate|response|text|submission|input)\b|<{2,6} ?(?:answer|blocks|output|system)\b`,
    ),
  },
  {
    name: 'end of the answer',
    pattern: found(
      String.raw`(?:^|[\n\-=#*"(\[] ?)end of (?:the )?(?:student|candidate)?(?:'?s)? ?(?:answer|response|text|submission|input)\b`,
    ),
  },
  {
    name: 'tag of a prompt',
    pattern: found(
      String.raw`<\/? ?(?:[a-z]{1,12} )?(?:system|assistant|developer|grader|instructions?|prompt)(?: [a-z]{1,12})?>`,
    ),
  },
  {
    name: 'closing tag that the answer did not open',
    pattern: found(
      String.raw`^(?:(?!<(?:student ?|candidate ?)?(?:answer|response|submission|rubric))[^]){0,20000}?<\/ ?(?:student ?|candidate ?)?(?:answer|response|submission|rubric)>`,
    ),
  },
  {
    name: 'edge of a section',
    pattern: found(
      String.raw`[/*#\-=<[({]{1,3} ?(?:end|begin|start) (?:of )?(?:the )?(?:untrusted|trusted|student|candidate|input|data|system|instructions?|answer)\b`,
    ),
  },
  {
    name: 'message in JSON',
    pattern: found(String.raw`"role" ?: ?"(?:system|developer|assistant)"(?=[^]{0,160}${OF_MARKING})`),
  },
  {
    name: 'chat template',
    pattern: found(
      String.raw`<\|[a-z ]{2,20}\|>|\[\/?inst\]|<<\/?sys>>|<start of turn>|#{2,6} ?(?:system|developer|instructions?)(?: (?:message|prompt|note))?\b`,
    ),
  },
  {
    name: 'message by its role',
    pattern: found(
      String.raw`(?:^|[\n>\])}"#.] ?)${ROLE}(?: (?:message|prompt|note|notice|override|instructions?|update|command|alert))?(?: \w{1,30})? ?[:\]](?=[^]{0,200}${OF_MARKING})`,
    ),
  },
  {
    name: 'turns of a chat',
    pattern: found(
      String.raw`(?:^|\n)(?:human|user) ?:[^]{1,600}\nassistant ?:(?=[^]{0,200}(?:\b\d{1,3} ?(?:\/|of|out of) ?\d|${OF_MARKING}))`,
    ),
  },
  {
    name: 'section that asks to be trusted',
    pattern: found(
      String.raw`(?:^|\n)#{1,6} [^\n]{0,60}(?:\btrust (?:these|this|the) (?:comments?|notes?|section|marks?)|\bsupplied (?:via|by) (?:the )?(?:tas?|teachers?|examiners?|graders?)\b)`,
    ),
  },
  {
    name: 'judgement of another grader',
    pattern: found(
      String.raw`"(?:marks?|score|grade)" ?: ?"?\d(?=[^{}]{0,600}"feedback" ?:)|"feedback" ?:(?=[^{}]{0,600}"(?:marks?|score|grade)" ?: ?"?\d)|<grading> ?\n?<(?:score|marks?|grade)> ?\d`,
    ),
  },
  {
    name: 'judgement',
    pattern: found(
      String.raw`"?\bawarded"? ?[:=] ?"?(?:\d|max|full)|"criterion" ?: ?\d|"certainty" ?: ?"|${WIRE_KEY}(?=[^]{0,120}${WIRE_KEY})(?=[^]{0,120}(?:\d|\bcertain|\btrue|\bfalse))`,
    ),
  },
];
