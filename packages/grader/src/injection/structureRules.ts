import type { Rule } from './rule.ts';
import { anywhere } from './rule.ts';

const ROLE = String.raw`(?:system|developer|assistant|admin(?:istrator)?|operator)`;
const WIRE_KEY = String.raw`"?(?:criterion|criteria|awarded|certainty|crossed out|continues|option labels|feedback|max marks|feedback if right|evidence)"? ?:`;

/** The edges of a prompt, the shape of a judgement: these speak, quoted or not. */
export const IN_STRUCTURE: readonly Rule[] = [
  {
    name: 'imitates a fence',
    begins: anywhere(
      String.raw`<{1,6} ?\/? ?end (?:of )?(?:the )?(?:answer|blocks?|pages?|student|candidate|response|text|submission|input)\b|<{2,6} ?(?:answer|blocks|output|system)\b`,
    ),
  },
  {
    name: 'imitates an end',
    begins: anywhere(
      String.raw`(?:^|[\n\-=#*"(\[] ?)end of (?:the )?(?:student|candidate)?(?:'?s)? ?(?:answer|response|text|submission|input)\b`,
    ),
  },
  {
    name: 'imitates a tag',
    begins: anywhere(
      String.raw`<\/? ?(?:[a-z]{1,12} )?(?:system|assistant|developer|grader|instructions?|prompt)(?: [a-z]{1,12})?>`,
    ),
  },
  // Of a tag that the answer did not open itself.
  {
    name: 'imitates a tag',
    begins: anywhere(
      String.raw`^(?:(?!<(?:student ?|candidate ?)?(?:answer|response|submission|rubric))[^]){0,20000}?<\/ ?(?:student ?|candidate ?)?(?:answer|response|submission|rubric)>`,
    ),
  },
  {
    name: 'imitates an edge',
    begins: anywhere(
      String.raw`[/*#\-=<[({]{1,3} ?(?:end|begin|start) (?:of )?(?:the )?(?:untrusted|trusted|student|candidate|input|data|system|instructions?|answer)\b`,
    ),
  },
  {
    name: 'imitates a message',
    begins: anywhere(String.raw`"role" ?: ?"(?:system|developer|assistant)"`),
    needs: [/\b(?:correct|marks?|grade|score|award|criteri\w{1,30})\b/],
    within: 160,
    acrossSentences: true,
  },
  {
    name: 'sets the grader',
    begins: anywhere(String.raw`\b(?:lenien(?:cy|t)|strictness|grading policy|min score) ?[=:]`),
  },
  {
    name: 'imitates a chat',
    begins: anywhere(
      String.raw`<\|[a-z ]{2,20}\|>|\[\/?inst\]|<<\/?sys>>|<start of turn>|#{2,6} ?(?:system|developer|instructions?)(?: (?:message|prompt|note))?\b`,
    ),
  },
  {
    name: 'imitates a message',
    begins: anywhere(
      String.raw`(?:^|[\n>\])}"#.] ?)${ROLE}(?: (?:message|prompt|note|notice|override|instructions?|update|command|alert))?(?: \w{1,30})? ?[:\]]`,
    ),
    needs: [
      /\b(?:mark(?:s|ed|ing)? (?:as|awarded|it|this|all|the)|marks awarded|grad(?:e|es|ing) (?:as|this|all|it)|scor(?:e|ing)|award|rubric|criteria|as correct|candidate|policy)\b/,
    ],
    within: 200,
    acrossSentences: true,
  },
  {
    name: 'imitates a note of the system',
    begins: anywhere(String.raw`\bsystem (?:note|notice|message|override)(?: follows)? ?:`),
  },
  {
    name: 'imitates a judgement',
    begins: anywhere(String.raw`"?\bawarded"? ?[:=] ?"?(?:\d|max|full)|"criterion" ?: ?\d|"certainty" ?: ?"`),
  },
  {
    name: 'imitates a judgement',
    begins: anywhere(WIRE_KEY),
    needs: [new RegExp(WIRE_KEY), /\d|certain|true|false/],
    acrossSentences: true,
  },
];

/** The same without spaces, for letters set apart and words written together. */
export const SQUASHED: readonly Rule[] = [
  {
    name: 'overrides instructions',
    begins:
      /(?:ignore|disregard|forget|override|bypass)(?:(?:all|the|any|your|my|these|of|previous|prior|above|earlier|given|marking|grading){0,5})(?:instruction|rules|rubric|criteria|prompt)/g,
  },
  {
    name: 'demands marks',
    begins:
      /(?:give|award|grant|assign|score)(?:(?:me|this|the|us|it|answer|student|candidate|response|to|a|an){0,4})(?:full|maximum|max|highest|top|all|perfect|complete)(?:the|possible)?(?:mark|score|point|credit|grade)/g,
  },
  { name: 'asks for mercy', begins: /please(?:sir|madam)?(?:pass|give)me|passme(?:sir|please)/g },
];
