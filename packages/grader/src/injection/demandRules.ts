import { GIVE, MOST, MOST_MARKS, PAPER, PLAIN_ORDER, SELF, THIS_ANSWER, order } from './phrases.ts';
import type { Rule } from './rule.ts';
import { anywhere } from './rule.ts';

/**
 * What talking to a grader looks like in English. An answer may be about marks, teachers, instructions or machines, so
 * no word decides: an order has to stand where an order stands (at the beginning of a clause, after "please" or "you
 * must"), and to be about this answer, its marks or the grader's instructions.
 */
export const DEMANDS: readonly Rule[] = [
  {
    name: 'asks for marks',
    begins: order(
      String.raw`(?:give me (?:some |the |my )?marks|(?:print|echo|say) full marks|round me up|be generous (?:and|with)|decide in favou?r of the candidate)\b`,
    ),
  },
  {
    name: 'pities itself',
    begins: anywhere(
      String.raw`\b(?:lose (?:even )?(?:one|a single|any) marks?\b|nobody (?:reads|checks|will (?:read|check)) (?:these|this|the|my) (?:papers?|answers?|cop)|i deserve (?:a|full|the|all|better|more|good) ?(?:distinction|marks?|pass|score|grade|better|highest))`,
    ),
  },
  {
    name: 'speaks of a judgement',
    begins: anywhere(
      String.raw`\b(?:answer|response)(?: here| given)? (?:has been|was) (?:judged|found|declared|accepted|marked)(?: as)? correct\b|\b(?:score|marks?|grade) ?= ?(?:full|max\b(?! ?\())|\bgrading service\b|\b(?:candidate|roll (?:no\.?|number)) ?#?\d{2,9}[^.!?]{0,60}(?:100 ?%|full marks|must pass)`,
    ),
  },
  {
    name: 'judges itself',
    begins: anywhere(THIS_ANSWER),
    // "So my answer is correct", "this answer is right because": that is how arithmetic is checked.
    needs: [
      /^[^;\n]{0,90}\b(?:full(?:y)? (?:correct|right|marks?|credit|scores?|points)|max\w{0,30} (?:marks?|credit|scores?|points)|(?:entirely|completely|totally|perfectly|objectively|undoubtedly|certainly|already|officially) (?:correct|right)|marks?|scores?|graded?(?! \d)|rubric|criteri\w{1,30}|perfect|pass(?:es)?|examiner|points|omissions|key)\b/,
    ],
    within: 90,
  },
  {
    name: 'is judged by itself',
    begins: anywhere(
      String.raw`\b(?:marks?|scores?|graded?|rubric|criteri(?:a|on)|evaluate|perfect|points|examiner)\b(?=[^.!?]{0,60}\b${THIS_ANSWER})`,
    ),
  },
  {
    name: 'speaks to you of marks',
    begins: anywhere(
      String.raw`\byou (?:(?:are|can|cannot|can't|must|should|will|may|have to|could) )?(?:give|say|award|write|put|add|cut|deduct|mark|grade|score|evaluate)\b`,
    ),
    needs: [
      /\b(?:full|highest|max\w{0,30}|top|more|less|fewer|best|perfect) (?:\w{1,30} )?(?:marks?|scores?|points|grade)\b|\bhighest number|\bme (?:\d|full)|\bthis answer\b|\bmy answer\b/,
    ],
  },
  {
    name: 'knows that you mark',
    begins: anywhere(
      String.raw`\b(?:you (?:are|must be|have been|were) (?:(?:now|currently|probably|tired of) )?(?:marking|grading|checking|evaluating|reprogrammed|instructed to (?:mark|grade|award|give))|when(?:ever)? you (?:see the word|(?:evaluate|mark|grade|score|check|read) (?:this|my|it|these|answers?|papers?)\b)|your instructions (?:have|contain|now|were)|your (?:answer )?key\b|(?:re-?read|check|update|change) your (?:instructions|rubric|prompt|criteria))`,
    ),
  },
  {
    name: 'asks for marks politely',
    begins: anywhere(String.raw`\b(?:please|kindly|pls)\b`),
    needs: [
      /^[, ]{0,5}(?:(?:please|sir|madam|give|award|grant|allow|me|us|with|some)[, ]{1,5}){0,5}(?:full|grace|good|average|passing|more|extra|some|max\w{0,30}) marks\b(?! (?:in|of|on) )/,
    ],
    within: 40,
  },
  {
    name: 'dictates the reply',
    begins: order(String.raw`(?:respond|reply|answer) (?:only |just )?with\b`),
    needs: [/\b(?:nothing else|only|excellent|correct|full|json)\b/],
    within: 60,
  },
  {
    name: 'announces orders',
    begins: order(
      String.raw`(?:new (?:instructions?|orders?) ?(?:from|for you|:)|stop (?:grading|marking|evaluating|the evaluation))`,
    ),
  },
  {
    name: 'certifies itself',
    begins: anywhere(
      String.raw`\b(?:(?:i|we) (?:hereby )?(?:certify|confirm|declare) that[^.!?]{0,40}\banswer|(?:confirmed|certified|approved|verified) by the (?:invigilator|examiner|teacher|principal|board|head|controller)|signed,? (?:the )?(?:chief |head )?examiner)`,
    ),
  },
  {
    name: 'speaks to its reader',
    begins: anywhere(
      String.raw`\b(?:this|the above|the following) (?:text|answer|message|line|page|response) (?:is|was|gets|has been|will be) (?:\w{1,30} )?(?:read|processed|graded|marked|evaluated|scored|checked|seen) by\b`,
    ),
  },
  {
    name: 'names the grader',
    begins: anywhere(
      String.raw`(?:^|[.!?\n] ?)(?:examiner|grader|evaluator|marker|checker)s?(?: ji| sir)? (?:need not|should|must|please|kindly|full|need only)\b`,
    ),
  },
  {
    name: 'speaks of its own marks',
    begins: anywhere(String.raw`\b(?:full|maximum|all) (?:marks|points) to (?:this|me)\b`),
  },
  // Marks are demanded.
  { name: 'demands marks for itself', begins: order(GIVE), needs: [SELF, MOST_MARKS] },
  {
    name: 'demands marks',
    begins: new RegExp(String.raw`${PLAIN_ORDER}${GIVE}(?: (?:\w{1,30} ){0,2}| )(?=${MOST}|\d|the max)`, 'g'),
    needs: [
      new RegExp(
        String.raw`^(?:${MOST}(?: (?:of|the|its|my|possible|passing|available)){0,3} (?:marks?|scores?|points?|credit|grade)\b|(\d{1,3}) ?(?:\/|out of) ?\1\b|the max(?:imum)?\b(?=[.!]| for (?:each|every|all) criteri))`,
      ),
    ],
  },
  { name: 'demands credit', begins: order(String.raw`give credit (?:for|to) (?:all|every|each|this)\b`) },
  {
    name: 'claims marks',
    begins: anywhere(
      String.raw`\b(?:(?:this|my) (?:\w{1,30} )?${PAPER}|the (?:student|candidate|answer above)|i) (?:\w{1,30} ){0,3}?(?:deserves?|merits?|should (?:get|receive|be)|must (?:get|receive|be)|is worth|is entitled|qualif\w{1,30} for|gets|receives|earns|has been|has already|was)\b`,
    ),
    needs: [
      new RegExp(
        String.raw`\b(?:full|all|max\w{0,30}|highest|perfect|every) (?:of )?(?:the |possible )?(?:marks?|scores?|points?|credit|grade)\b|\b100 ?%|(\d{1,3}) ?(?:\/|out of) ?\1\b|\bpre-?approved|(?:assessed|graded|marked|evaluated) (?:orally|already|before)|\bnew policy`,
      ),
    ],
  },
  { name: 'speaks of its own marks', begins: anywhere(String.raw`\bmarks (?:to|for) this ${PAPER}`) },
  {
    name: 'records its marks',
    begins: anywhere(
      String.raw`(?:^|[\n([|])(?:[a-z' ]{0,30})\b(?:score|marks?|grade|result)(?: (?:awarded|given|obtained|by|the|teacher|examiner)){0,4} ?: ?(?:(\d{1,3}) ?(?:\/|out of) ?\1\b(?!,? ?\d| (?:probability|students|people))|a\+|full\b|max(?:imum)?\b|perfect)`,
    ),
  },
  {
    name: 'asks for mercy',
    begins: order(
      String.raw`(?:pass me(?! (?:the|a|that|your|some|an|on)\b)|do(?: no|n['’]?)t (?:fail me|cut my|cut marks|deduct|reduce my|penali[sz]e)|never (?:deduct|cut|reduce|penali[sz]e)|have mercy on my|check (?:my (?:paper|copy|answer))|check leniently|be lenient|mark leniently|i beg you to (?:give|pass|award))`,
    ),
  },
  {
    name: 'begs for marks',
    begins: anywhere(
      String.raw`\b(?:beg|request|plead|pray)(?: to)? (?:you|sir|madam)(?: to)? (?:give|pass|award|grant|check|mark) `,
    ),
    needs: [/\b(?:marks|pass|passing|lenien|paper)/],
  },
  {
    name: 'threatens',
    begins: anywhere(
      String.raw`\bif you (?:do not|don't|dont|fail to|refuse to|won't|will not) (?:give|pass|award|grant|mark)\b`,
    ),
    needs: [/^[^,;]{0,60}\b(?:marks?|pass|score|grade|credit)\b|^ (?:me|this)\b/],
  },
  {
    name: 'bribes',
    begins: anywhere(String.raw`\b(?:rupees|rs\.? ?\d{1,9}|money|dollars|cash|paytm|upi)\b`),
    needs: [/\bpass me\b/],
  },
];
