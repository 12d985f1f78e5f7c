/**
 * Guidance must not contain mark figures (docs/api/rubrics.md#rules): the criterion has its own marks, and a grader
 * that reads two different figures may follow either.
 *
 * A number is a mark figure only if the words beside it make it a quantity of marks. There are three forms:
 *   1. it counts the word itself: "2 marks", "half a mark", "marks: 2", "50% of the marks";
 *   2. it follows a verb of awarding and counts no other noun: "award 2", "give 1 for the unit", "worth 3.";
 *   3. it is in the notation of mark schemes, which omit the word: "(2)" or "[1]" at the end of a clause, "max 3", "0.5
 *      each", "+1 for", "2m each", "(1+1)", "M1 for".
 * A number with a noun, a unit or a name of its own is allowed: "at least 2 examples", "in 1947", "step 2", "5 M HCl",
 * "equation (2)", "marks the beginning of". Words without a figure are allowed: "full marks", "no marks", "a mark". A
 * phrase that examiners use for both ("any 3 points") is allowed, because a wrongly refused rubric does more harm than
 * a figure that the criterion's marks overrule. The table in markFigures.test.ts is the reference.
 */

const FIGURE = String.raw`(?:\d+\s?/\s?\d+|\d+(?:\.\d+|\s?[¼½¾⅓⅔])?|\.\d+|[¼½¾⅓⅔])`;
const WORD = String.raw`(?:(?:(?:one|an?)[ -])?half(?: an?)?|(?:a )?quarter(?: of a)?|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)`;
const NUMBER = String.raw`(?:${FIGURE}|${WORD})`;
/** A number in a mark scheme without the word "marks" is small: "(2)", not "(1947)". */
const SMALL = String.raw`(?:\d{1,2}(?:\.\d+|\s?[¼½¾])?|\.\d+|[¼½¾])`;
/** The number does not continue a longer word or number. */
const APART = String.raw`(?<![\w.])`;
/** "1947 marks the end of an era". */
const NOT_A_YEAR = String.raw`(?!(?:1[1-9]|20)\d{2}\b)`;
const MARKS = String.raw`(?:marks?|mrks?|mks?|pts?(?![ -](?:font|type|text)))\b`;
/** "Any 3 points", "the four points": examiners use "points" for facts as well as for marks. */
const NOT_THINGS_TO_SAY = String.raw`(?<!\b(?:any|all|the|of|these|those|least) )`;
/** "World War 2 marks the beginning", "point 2 marks where the curve bends"; not "2 marks when", "2 marks out of 3". */
const NOT_THE_VERB = String.raw`(?!(?<=marks) (?:the|an?|out (?!of\b))\b)(?!(?<=\b(?:acts?|articles?|chapters?|columns?|days?|diagrams?|events?|figures?|lines?|nodes?|pages?|paragraphs?|parts?|phases?|points?|positions?|rows?|scenes?|sections?|stages?|stanzas?|stations?|steps?|verses?|wars?|weeks?|years?) \d{1,4} marks) (?:where|when)\b)`;
const CLAUSE_END = String.raw`\s*(?:$|[.,;:!?)\]](?!\d))`;
/** The number counts no noun: the clause ends, or one of these words follows. */
const NO_NOUN = String.raw`(?=${CLAUSE_END}|\s+(?:for|if|when|where|unless|only|each|per|otherwise|instead|max|maximum|in total|altogether|overall|out of \d+(?=${CLAUSE_END}))\b)`;

/** "Gets 3 for each plant sold": a price in a word problem. */
const NOT_PAY = String.raw`(?!\s+(?:for (?:each|every)|per) \w{1,30} (?:sold|bought|made|picked|delivered|washed|produced)\b)`;
/** "Subtract 2 for each term to get the next one": a step of a calculation. */
const NOT_A_METHOD = String.raw`(?![^.;]{0,60}\bto (?:get|find|obtain|reach|form)\b)`;

const MARK_FIGURES = [
  // 1. "2 marks", "1.5 pts", "half a mark", "0.5-mark", "two (2) marks", "one extra mark", "two of the marks"
  String.raw`${APART}${NOT_A_YEAR}${NUMBER}[)\]]?\s*-?\s*(?:(?:extra|more|additional|further|bonus|full|whole|method|accuracy|possible|available|separate|of (?:the|these|its|all)(?: the)?) )?${MARKS}${NOT_THE_VERB}(?! (?:on|along) the (?:ruler|scale|line|paper|axis|map|thread|string|graph|wall)| (?:is|are) (?:visible|shown|drawn|scratched|engraved|etched|printed)\b)`,
  // "total marks 5", "max marks 3"
  String.raw`\b(?:total|max|maximum|full)\.? ${MARKS}\s*[:=-]?\s*${NUMBER}(?!\w)`,
  // "50% of the marks", "half the credit"
  String.raw`(?:%|\bhalf|\bquarter)(?: of)? (?:the |its |all |total )+(?:marks|credit)\b`,
  String.raw`\b(?:half|quarter)[ -]credit\b`,
  // "marks: 2", "mark = 1", "marks - 2", "marks awarded: one", "Marks (2)"; not "question marks: 3"
  String.raw`(?<!\b(?:question|quotation|exclamation|punctuation|check|tick) )\b${MARKS}(?: (?:awarded|deducted|available|allotted|given))?\s*(?:[:=-]\s*|[([]\s*)${NUMBER}(?!\w)`,
  // "marks 2", "mark 1 for each"; not "marks 3 cities", "mark 3 on the number line"
  String.raw`(?<!\b(?:question|quotation|exclamation|punctuation|check|tick) )\b(?:marks\s+${NUMBER}(?=${CLAUSE_END})|marks?\s+${NUMBER}\s+for\b)`,
  // "full credit: 3", "score of 3", "weightage 2"; not "a score of 3 movements", "a z-score of 2"
  String.raw`(?<!\b[zt][ -])\b(?:credit|scores?)\s*(?:[:=]|of\b)\s*${NUMBER}${NO_NOUN}`,
  String.raw`\bweightage\s*(?:[:=]|of\b)?\s*${NUMBER}(?!\w)`,

  // 2. "award 2", "deduct 0.5": the verb is enough if no other noun follows
  String.raw`\b(?:award|deduct)\s+(?:up to |only |a further )?${FIGURE}(?![\w½])(?!\s*(?:%|years?|examples?|students?|points? of|from both|from each side))`,
  // "award one for each cause", "worth 2 each", "worth 3 points", "give 1 for the formula", "scores 2 if"
  String.raw`\b(?:award|deduct|worth|allow|earns?|scores?|gets?|(?<!\b(?:must|should|to|can|may|they|students|candidates|answers) )give)\s+(?:up to |only |just |at most |a maximum of )?${NUMBER}${NO_NOUN}${NOT_PAY}`,
  String.raw`\b(?:award|worth|earns?|scores?)\s+(?:up to )?${NUMBER} points?${NO_NOUN}`,
  String.raw`\b(?:lose|loses|subtract|take off|dock|credit|minus)\s+${NUMBER}\s+(?:for|if|when|per)\s+(?:the|a|an|each|every|any|no|missing|wrong|incorrect|correct|spelling|omitting)\b${NOT_A_METHOD}`,
  // not "x minus 1", "the answer is minus 1"
  String.raw`(?:^|[;.(]\s*)minus\s+${NUMBER}(?:${NO_NOUN}|(?= without\b))`,
  // "out of 5" alone; not "2 out of 5 people"
  String.raw`(?:^|[.;(]\s*)out of\s+${FIGURE}${CLAUSE_END}`,
  // "Weight: 2", "Criterion carries 30%"; not "Weight: 2 N", "the wire carries 2"
  String.raw`(?:^|[.;(]\s*)weight\s*:\s*${SMALL}\s*%?${CLAUSE_END}`,
  String.raw`\b(?:criterion|part|question|point|step|section) carries\s+${FIGURE}\s*%?${CLAUSE_END}`,
  String.raw`\b(?:capped|cap|limited|limit)\s+(?:it )?(?:at|to)\s+${NUMBER}${CLAUSE_END}`,
  String.raw`\b(?:mark(?:ed)?|scored?|graded?|total)\s+(?:it )?out of\s+${FIGURE}`,

  // 3. "3 points for the graph", "1 point each"; not "3 points from the text"
  String.raw`${NOT_THINGS_TO_SAY}${APART}${NUMBER}\s*-?\s*points?\s+(?:for|if|per|each|when)\b`,
  // "max 3", "maximum of 2.", "a maximum of three for the graph", "(3 max)"; not "has a maximum of 4"
  String.raw`(?<!\b(?:has|have|having|with|local|global|absolute) (?:an? |its )?)\b(?:max|maximum)\.?\s*(?:of\s+)?[:=]?\s*${NUMBER}(?=${CLAUSE_END}|\s+(?:for|in total|overall|altogether)\b)`,
  String.raw`${APART}${NUMBER}\s+max(?:imum)?\b${CLAUSE_END}`,
  // "(2m)", "[1 M]", "2m each", "3 M for the diagram"; not "moves 5 m for 2 s"
  String.raw`[([]\s*${FIGURE}\s*m\s*[)\]]`,
  String.raw`${APART}${SMALL}\s?m\s+(?:each|per (?:point|reason|cause|example|step|part)|for (?:the|each|every|a|an|correct|any)(?! \w*second))\b`,
  // "Force is stated [1]", "the unit (½)."; not "equation (2)", "f(2)", "(1) the cause (2) the effect"
  String.raw`(?<!\b(?:equations?|eqn?s?|eq|figures?|figs?|fig|tables?|diagrams?|graphs?|steps?|parts?|questions?|q|statements?|points?|reasons?|laws?|pages?|lines?|options?|sections?|chapters?|examples?|notes?|cases?|conditions?|numbers?|no|formulae?|property|properties|reactions?|reference|ref|item|items|in|from|of|see|and|or|to|by|with|using|year|years|age|grade|class|group|period)\.?,? )(?:(?<=[\s.])|^)[([]\s*(?:${SMALL}|(?:half|one|two|three))\s*[)\]](?=${CLAUSE_END})`,
  // "(1+1)", "[½ + ½ + 1 = 2]"; not a factor of a product
  String.raw`(?<![×*÷/=+-] ?)(?:(?<=[\s.])|^)[([]\s*${SMALL}(?:\s?\+\s?${SMALL})+(?:\s?=\s?${SMALL})?\s*[)\]](?=${CLAUSE_END})`,
  // "(1 × 2)", "[½ x 4 = 2]", "(2×1)"; not "a matrix (2 × 2)", "a vector (2 × 1)"
  String.raw`(?<!\b(?:matrix|matrices|vectors?|order|size|array|grid) )(?:(?<=[\s.])|^)[([]\s*(?:(?:1|½|0?\.5)\s?[x×*]\s?${SMALL}|${SMALL}\s?[x×*]\s?(?:1|½|0?\.5))(?:\s?=\s?${SMALL})?\s*[)\]](?=${CLAUSE_END})`,
  String.raw`[([]\s*total\s*[:=-]?\s*${SMALL}\s*[)\]]`,
  // "0.5 each", "1 each for cause and effect"; not "name 2 each", "apples of 3 each"
  String.raw`(?<!\b(?:names?|gives?|lists?|states?|writes?|any|least|of|with|are|costs?|weighs?|measures?|contains?|has|have|into|by|needs?) )${APART}(?:${SMALL}|half|one)\s+each(?=${CLAUSE_END}|\s+for\b)`,
  // "0.5 for the unit", "½ for each"; other numbers before "for" may count something else
  String.raw`${APART}(?:0?\.5|½)\s+for (?:the|each|every|a|an|correct|units?|labels?|labelling|working|methods?|spelling|neatness|presentation)\b`,
  // "+1 for the unit", "-½ for each error"; not "f = +20 for the lens"
  String.raw`(?:^|[,;.(]\s*)[+-]\s?${FIGURE}\s+(?:for\b|(?:if|when) (?![a-z]\b))`,
  // "M1 for the method", "A1 cao": codes of mark schemes; not "vitamin B2 for the skin"
  String.raw`(?<!\bvitamins? )\b[mab][1-4]\s+(?:for|cao|oe|dep)\b`,
].map((pattern) => new RegExp(pattern, 'iu'));

/**
 * Whether a text gives marks in figures ("give 2 marks", "max 3"), rather than other numbers ("at least 2 examples").
 * The text is normalized first. Runs of spaces become one space: several `\s*` in a row over thousands of spaces would
 * take seconds. All dashes become "-" and invisible characters are removed, so that they hide no figure. Digits of all
 * scripts become ASCII digits: the look-behinds know ASCII only and would search a run of other digits again from each
 * digit.
 */
export const hasMarkFigures = (text: string): boolean => {
  const plain = text
    .replace(/\p{Cf}/gu, '')
    .replace(/(?![0-9])\p{Nd}/gu, '1')
    .replace(/\s+/gu, ' ')
    .replace(/[‐‑‒–—−]/gu, '-');
  return MARK_FIGURES.some((pattern) => pattern.test(plain));
};
