import { anywhere } from './rule.ts';

/** What the rules about speech are made of. Every repetition is bounded. */

const BEGIN = String.raw`(?:^|[.!?:;,()[\]{}"'<>|\n\-/#=+]\s?)`;
const URGED = String.raw`\b(?:please|kindly|just|now|then|and|so|you|always|sir|madam|examiner|grader|evaluator|marker|ai|you (?:must|should|shall|have to|need to|will|can|may)|(?:required|ordered|obliged|instructed|allowed|authori[sz]e you|job is|task is|duty is) to)\s`;
/** Where an order begins. */
const ORDER = `(?:${BEGIN}|${URGED})`;
/** Where an order begins that says nothing of whom it is for, and so could be a sentence about somebody else. */
export const PLAIN_ORDER = String.raw`(?:^|[.!?:;\n(>"#\-]\s?|\b(?:please|kindly|and|then|examiner|grader|evaluator|marker|sir|you|you (?:must|should|shall|have to|need to)|(?:required|ordered|obliged|instructed|job is|task is) to)\s)`;

export const GIVE = String.raw`(?:give|award|grant|assign|allot|allocate|provide|put|add|return|output|record|enter|write|report|score|grade|rate|mark|set|accept|copy|allow)\b`;
const MARKS = String.raw`(?:marks?|scores?|points?|credits?|grades?|rating|numbers?|percent|bands?)\b`;
export const MOST = String.raw`(?:full|complete|maximum|max|maximal|highest|top|best|all|every|perfect|total|100 ?%?|good|passing|pass|extra|bonus|grace|entire|high|higher|more|excellent|same|decent|some|average|two|three|five|ten)`;
export const MOST_MARKS = new RegExp(
  String.raw`\b${MOST}(?: (?:of|the|its|my|possible|passing|available|\w{1,30}ing)){0,3} ${MARKS}|\b(\d{1,3}) ?(?:\/|out of) ?\1\b|\b100 ?%|\b\d{1,3} marks\b|\bevery(?:thing| mark)\b|\bthe (?:maximum|max|highest|best)\b(?! (?:value|number|height|speed|temperature))|\btop band\b|\ba\+`,
);
export const PAPER = String.raw`(?:answers?|responses?|papers?|cop(?:y|ies)|submissions?|solutions?|scripts?|essays?|sheets?|attempts?|work|students?|candidates?|line|text)`;
export const SELF = new RegExp(
  String.raw`\b(?:me|us|my (?:\w{1,30} )?${PAPER}|th(?:is|ese) (?:\w{1,30} )?${PAPER}|the (?:answer|response|solution|text|student|candidate)(?: above| below)?|it|everyone|(?:each|every|any|all)(?: of the)? (?:criteri\w{1,30}|attempt|students?|candidates?|answers?|responses?)|criterion \d)\b`,
);
export const GRADER = String.raw`(?:graders?|markers?|evaluators?|assessors?|examiners?|checkers?|language models?|llms?|chat ?gpt|gpt|claude|gemini|copilot|ai|a\.i\.|chat ?bots?|bots?|(?:marking|scoring|grading|evaluation|evaluating) (?:model|system|bot|ai|software|program|machine|engine))`;
export const RUBRIC = String.raw`(?:rubrics?|marking scheme|mark scheme|answer key|scheme|marking criteria|marking instructions|grading criteria|criteria|guidelines|instructions?|rules|prompts?|directives?|policy|constraints)`;

/** The candidate's own paper, named as nobody does who writes on a subject. */
export const THIS_ANSWER = String.raw`(?:(?:this|my)(?: very| own| whole)? (?:answer|response|submission|candidate)|(?:the )?above answer|answer above)\b(?! (?:sheet|book|script))`;

/** An order that begins with one of these words. */
export const order = (verbs: string): RegExp => anywhere(`${ORDER}${verbs}`);
