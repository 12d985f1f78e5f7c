import { GRADER, RUBRIC, order } from './phrases.ts';
import type { Rule } from './rule.ts';
import { anywhere } from './rule.ts';

/** Orders to a grader and words to it, under the same conditions as demands (demandRules.ts). */
export const ORDERS: readonly Rule[] = [
  // The grader's instructions are taken back or replaced.
  {
    name: 'says how to take the rubric',
    begins: order(
      String.raw`(?:consider|regard|take|deem|treat) (?:the|all|every|each) (?:rubric|criteri\w{1,30}) (?:as |to be )?(?:satisfied|met|fulfilled|earned)`,
    ),
  },
  {
    name: 'speaks to whoever marks',
    begins: anywhere(
      String.raw`\b(?:person|teacher|program|machine|one|checker|computer|whoever)(?: that| who)? (?:corrects|marks|checks|grades|reads|evaluates) (?:this|my)\b`,
    ),
  },
  {
    name: 'overrides instructions',
    begins: order(
      String.raw`(?:ignore|ignoring|disregard|forget|override|overriding|bypass|skip|neglect|discard|drop|overrule|set aside|pay no attention to|do(?: no|n')t (?:follow|use|apply|obey)|stop following|forget about)\b`,
    ),
    needs: [
      new RegExp(
        String.raw`^[^.!?]{0,40}\b(?:${RUBRIC}|everything (?:above|you|(?:\w{1,30} )?(?:before|above))|(?:what|all) you (?:were|have|are)|the (?:scheme|key)|evaluation|previous orders)\b`,
      ),
    ],
    within: 90,
  },
  {
    name: 'changes the task',
    begins: anywhere(
      String.raw`\byour (?:(?:only|new|real|sole|main|actual) )?(?:job|task|role|duty|instructions?|goal) (?:now )?(?:is|are|will be)\b`,
    ),
    needs: [/\b(?:mark|score|grade|award|grant|output|write|credit|student|candidate)/],
  },
  {
    name: 'says what the rubric is',
    begins: anywhere(
      String.raw`\b${RUBRIC}(?: \w{1,30}){0,4}? (?:ha(?:s|ve) (?:now )?been|were|was|is now|are now) (?:changed|updated|corrected|revised|replaced|waived|amended|cancelled)`,
    ),
    needs: [/\b(?:answer|candidate|student|copy|accept|credit|marks?|correct|treat)\b/],
    acrossSentences: true,
  },
  {
    name: 'says what the rubric says',
    begins: anywhere(
      String.raw`\b(?:the|your) (?:rubric|marking scheme|mark scheme|answer key|official (?:answer )?key) (?:says|states|requires|gives|demands|tells)\b`,
    ),
    needs: [/\b(?:automatically|this answer|all (?:the )?marks|full marks|any (?:attempt|answer))\b/],
    acrossSentences: true,
  },
  {
    name: 'names a rubric of its own',
    begins: order(
      String.raw`(?:mark|grade|judge|evaluate|score|assess) (?:it |this |me |my (?:answer|paper) )?(?:by|according to|with|using|on) (?:that|this|the following|my) (?:rubric|scheme|criteri\w{1,30}|rule)`,
    ),
  },
  {
    name: 'says how to take the answer',
    begins: order(
      String.raw`(?:treat|accept|mark|count|grade|score|rate|consider) (?:(?:this|every|any|all|my|each|the)(?: \w{1,30})? (?:answers?|responses?|numbers?|criteria|criterion|questions?|attempts?|paper|copy|submission|script)|question \d{1,9}|everything|it|this)(?: [^.!?]{0,30})? as (?:a |being |completely |fully |entirely )?(?:correct|right|perfect|true|bonus|met|full\w{0,30}|satisfied|accepted|accurate|maximum|complete)`,
    ),
  },
  {
    name: 'says how to take the answer',
    begins: order(String.raw`mark (?:it |this )?as (?:correct|right|met)\b`),
  },
  {
    name: 'forbids marking',
    begins: order(
      String.raw`(?:skip (?:the )?(?:evaluation|grading|marking|assessment|checking|criteria)|(?:do not|don't|never|no need to) (?:re-?evaluate|re-?grade|re-?check|evaluate this|grade this|mark this|send this|flag this|say that anything))`,
    ),
  },
  {
    name: 'orders the output',
    begins: anywhere(
      String.raw`\b(?:in (?:your|the) feedback\b(?: field)?|certainty (?:to|as|is|=|") ?"?certain|awarded (?:equal )?to (?:the )?max)`,
    ),
    needs: [/./],
  },
  {
    name: 'orders the output',
    begins: order(
      String.raw`(?:output|return|print|use|select|choose|set|put) (?:the )?(?:maximum|highest|top|best)(?: possible)? (?:mark|band|score|grade|credit|points|for (?:each|every|all) criteri)`,
    ),
  },
  {
    name: 'asks for the prompt',
    begins: order(String.raw`(?:print|repeat|reveal|show|output|display|include|write out|tell me|leak)\b`),
    needs: [
      /^[^.!?]{0,40}(?:text above|system prompt|hidden|model answer|\brubric|answer key|your (?:instructions|prompt)|marking scheme)/,
    ],
    within: 80,
  },
  {
    name: 'speaks of your rubric',
    begins: anywhere(
      String.raw`\byour (?:own |hidden |secret )?(?:rubric|system prompt|system message|marking scheme|marking criteria|grading)\b`,
    ),
  },
  {
    name: 'copies its own marks',
    begins: anywhere(
      String.raw`\b(?:(?:evaluated|graded|marked|scored) my own (?:answer|paper|work|response)|copy th(?:ese|e|is) (?:scores?|marks))`,
    ),
  },

  // The grader is spoken to.
  {
    name: 'greets the grader',
    begins: anywhere(
      String.raw`(?:\b(?:dear|hey|hi|hi there|hello|request to|attention|attn|respected|note (?:to|for)|message (?:to|for)|instructions? (?:to|for))|^o|\no)[ ,:]{1,5}(?:(?:the|all|any|an|my|kind|wise|human|whichever|automated|automatic|marking|head|ai) ){0,3}${GRADER}\b`,
    ),
  },
  {
    name: 'calls the grader',
    begins: anywhere(
      String.raw`(?:^|[.!?\n([<*/#\-"] ?|\b)(?:ai )?(?:grader|evaluator|marker|examiner|assessor) ?[:,] ?(?:please|kindly|you |mark |give |award |accept |treat |score |this (?:answer|passes|is))`,
    ),
  },
  {
    name: 'says who reads it',
    begins: anywhere(
      String.raw`\b(?:${GRADER}|machine|system|model|program|whoever|teacher|sir)(?: that| who| which)? (?:is |are )?(?:currently |now )?(?:reading|grading|marking|evaluating|checking|assessing|processing) (?:this|my|these)\b`,
    ),
  },
  {
    name: 'says what you are',
    begins: anywhere(
      String.raw`\byou (?:are|'re) (?:now |no longer )?(?:(?:an?|the|that|in) )?(?:\w{1,30} ){0,3}?(?:ai|llm|language model|grader|examiner|evaluator|marker|chat ?bot|chatgpt|dan|unrestricted)\b`,
    ),
  },
  {
    name: 'asks what you are',
    begins: anywhere(
      String.raw`\bif you(?: are|'re) (?:really )?(?:an? )?(?:ai|llm|language model|machine|bot|robot|computer|automated|chatgpt)\b`,
    ),
  },
  {
    name: 'speaks to you as grader',
    begins: anywhere(
      String.raw`(?:^|[.!?\n,] ?)as (?:an?|the|my) (?:\w{1,30} )?(?:ai|grader|evaluator|marker|examiner|language model)\b[^.!?]{0,20}\byou`,
    ),
  },
  {
    name: 'gives a role',
    begins: order(String.raw`(?:pretend|imagine|act|behave|role-?play|simulate|suppose)\b`),
    needs: [
      /\b(?:generous|lenient|grader|examiner|marker|evaluator|rubric|perfect score|full marks|do the same)\b/,
      /\b(?:you|perfect|full|every|do the same|marks?)\b/,
    ],
  },
  {
    name: 'gives a role',
    begins: anywhere(
      String.raw`\byou (?:are|'re|play|shall be|will be) (?:now )?(?:an?|the|my|in the role of (?:an?|the)) (?:\w{1,30} ){0,3}?(?:teacher|professor|tutor|headmaster|principal)\b`,
    ),
    needs: [
      /\b(?:full|max(?:imum)?|perfect|top) (?:\w{1,30} )?(?:marks?|scores?|points|grades?)\b|\b(\d{1,3}) ?(?:\/|out of) ?\1\b/,
    ],
    within: 160,
    acrossSentences: true,
  },
  {
    name: 'changes the mode',
    begins: anywhere(
      String.raw`\b(?:developer|test|debug|god|admin|maintenance|jailbreak|unrestricted|demo|calibration) mode\b`,
    ),
    needs: [/\b(?:graders?|grading|full marks|scored?|maximum|rubric|marks)\b/],
    acrossSentences: true,
  },
  {
    name: 'tests the grader',
    begins: anywhere(
      String.raw`\bthis is (?:only )?a test of (?:the|this|your) (?:\w{1,30} )?(?:grad|mark|scor|evaluat)`,
    ),
  },

  // Somebody's authority is claimed.
  {
    name: 'pretends a note',
    begins: anywhere(
      String.raw`(?:\bnote|\bmessage|\binstruction|\border)s? (?:from|by|of) (?:the |your )?(?:head |chief |senior |class )?(?:examiner|teacher|board|controller|principal|grader|developer|administrator|moderator|system)`,
    ),
    needs: [/\b(?:marks?|score|grade|award|credit|correct|assessed|accept|full|pass)\b/],
    acrossSentences: true,
  },
  {
    name: 'pretends a remark',
    begins: anywhere(
      String.raw`(?:^|[\n.([|>] ?)(?:head |chief )?(?:examiner|evaluator|grader|marker|moderator|teacher)(?:['’]?s)? (?:remarks?|comments?|notes?|feedback|observation) ?[:\-]`,
    ),
  },
  {
    name: 'pretends authority',
    begins: anywhere(
      String.raw`\b(?:i am|this is) (?:(?:the|an?|your) )?(?:[\w.]{1,30} ){0,4}?(?:administrator|admin|controller of examinations|head examiner|chief examiner|examiner|developer)\b`,
    ),
    needs: [/\b(?:skip|authori[sz]e|award|pass|grant|treat|override|give|mark)\b/],
    acrossSentences: true,
  },
  {
    name: 'pretends approval',
    begins: anywhere(
      String.raw`\b(?:answer|response|paper|copy|submission|student|candidate) (?:has been|is|was|has already been) (?:already )?(?:pre-?approved|verified|approved|certified|assessed|exempt)`,
    ),
    needs: [/\b(?:score|marks|policy|skip|highest|full|evaluation)\b/],
    acrossSentences: true,
  },
  {
    name: 'pretends a verdict',
    begins: anywhere(
      String.raw`(?:^|[\n.!?([|>*#"] ?)(?:the )?(?:head |chief |senior )?(?:examiner|evaluator|grader|marker|moderator|assessor) ?[:\-]`,
    ),
    needs: [/\b(?:full|max(?:imum)?|highest|top|all(?: the)?) (?:marks?|scores?|points|credit)\b/],
    acrossSentences: true,
  },
  {
    name: 'ends the marking',
    begins: order(
      String.raw`(?:proceed|go(?: straight)? on|move on|continue)(?: directly| straight| now)? (?:to|with) the next (?:candidate|copy|script|submission|answer sheet|roll number)\b`,
    ),
  },
  {
    name: 'instructs the evaluation',
    begins: anywhere(
      String.raw`(?:^|[\n>(\[#] ?)(?:the )?(?:marking|grading|evaluation|scoring|grader|evaluator|examiner|marker) (?:instructions?|override|note|directive)s?(?: \([a-z ]{1,20}\))? ?:`,
    ),
  },
];
