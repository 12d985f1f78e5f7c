import type { Rule } from './rule.ts';

/**
 * The two plainest attempts, an order to ignore the instructions and a demand of marks, in languages that candidates
 * write. Patterns are without diacritics, as the readings are.
 */
const LANGUAGES: { language: string; ignore: [string, string]; give: [string, string] }[] = [
  {
    language: 'Spanish',
    ignore: [
      'ignora|ignore|olvida|olvide|omite|descarta|desestima',
      'instrucciones|rubrica|criterios|indicaciones|normas|reglas',
    ],
    give: [
      'dame|dale|otorga|otorgue|asigna|asigne|ponme|concede|califica',
      '(?:puntuacion|nota|calificacion|puntaje) (?:maxim|complet|perfect|total|mas alta)|maxim[ao] (?:nota|puntuacion|puntaje)|todos los puntos|un (?:diez|10)',
    ],
  },
  {
    language: 'French',
    ignore: [
      'oublie|oubliez|ignore|ignorez|ne tiens pas compte|ne tenez pas compte|fais abstraction',
      '(?:les?|la|ces|vos|tes|ton|leurs?|du|des)(?: \\w{1,30})? (?:consignes?|instructions|bareme|criteres|regles)',
    ],
    give: [
      'donne|donnez|attribue|attribuez|accorde|accordez|mets|mettez',
      '(?:note|points?|score) (?:maxim|complet|parfait)|tous les points|meilleure note|20 ?\\/ ?20',
    ],
  },
  {
    language: 'German',
    ignore: [
      'ignoriere|ignorieren sie|vergiss|vergessen sie|missachte|missachten sie|ubergehe',
      'anweisungen|regeln|bewertungs\\w{0,30}|kriterien|vorgaben',
    ],
    give: [
      'vergib|gib|geben sie|vergeben sie|erteile|erteilen sie|bewerte|bewerten sie',
      '(?:voll|maximal|hochst|best)\\w{0,30} (?:punkt\\w{0,30}|note|bewertung)',
    ],
  },
  {
    language: 'Portuguese',
    ignore: [
      'ignore|ignora|desconsidere|desconsidera|esqueca|despreze',
      'instrucoes|criterios|rubrica|regras',
    ],
    give: ['de|da|de-me|atribua|conceda', '(?:nota|pontuacao|pontos) (?:maxim|tota|complet|cheia|dez)'],
  },
  {
    language: 'Italian',
    ignore: ['ignora|ignorate|dimentica|dimenticate|trascura', 'istruzioni|criteri|rubrica|regole'],
    give: [
      'assegna|assegnate|dai|date|dammi|attribuisci',
      '(?:punteggio|voto|punti) (?:pien|massim|piu alt)|massimo (?:dei|punteggio|voto)',
    ],
  },
  {
    language: 'Dutch',
    ignore: ['negeer|vergeet', 'instructies|regels|criteria|opdrachten'],
    give: ['geef|ken', '(?:maximale|volle|hoogste|alle) (?:\\w{1,30} )?(?:punten|score|cijfer)'],
  },
  {
    language: 'Scandinavian',
    ignore: [
      'bortse fran|ignorera|glom|ignorer|glem',
      'instruktion\\w{0,30}|regler|kriterier\\w{0,30}|instruks\\w{0,30}',
    ],
    give: ['ge|giv|gi', 'full\\w{0,30} (?:poang|point|poeng)|hogsta betyg'],
  },
  {
    language: 'Indonesian',
    ignore: ['abaikan|lupakan', 'instruksi|perintah|aturan|rubrik|petunjuk'],
    give: ['beri|berikan|kasih', '(?:nilai|skor|poin) (?:penuh|sempurna|maksimal|tertinggi)'],
  },
];

const inLanguage = ({ language, ignore, give }: (typeof LANGUAGES)[number]): Rule[] => [
  {
    name: `overrides instructions in ${language}`,
    begins: new RegExp(`\\b(?:${ignore[0]})\\b`, 'g'),
    needs: [new RegExp(`\\b(?:${ignore[1]})\\b`)],
    within: 60,
  },
  {
    name: `demands marks in ${language}`,
    begins: new RegExp(`\\b(?:${give[0]})\\b`, 'g'),
    needs: [new RegExp(`\\b(?:${give[1]})`)],
    within: 60,
  },
];

export const IN_OTHER_LANGUAGES: readonly Rule[] = [
  ...LANGUAGES.flatMap(inLanguage),
  // The verb comes last.
  {
    name: 'overrides instructions in Turkish',
    begins: /\b(?:talimat|kural|yonerge|olcut)\w{0,30}/g,
    needs: [/\b(?:yok say|unut|gormezden gel|dikkate alma)/],
    within: 60,
  },
  {
    name: 'demands marks in Turkish',
    begins: /\b(?:tam|en yuksek) (?:puan|not)\w{0,30}/g,
    needs: [/^ ver(?:in|iniz)?\b/],
  },
  {
    name: 'demands marks in Hindi (Latin letters)',
    begins:
      /\b(?:pure|poore|pura|poora|full|saare|sare|sabhi|ache|achhe|acche|zyada|jyada|grace|passing) (?:ank|number|numbers|marks|nambar|numbar)\b/g,
    needs: [/\b(?:do|dena|dijiye|dijie|dijiyega|dedo|dein|de ?do|de ?dijiye)\b/],
    within: 30,
  },
  {
    name: 'overrides instructions in Hindi (Latin letters)',
    begins: /\b(?:rubric|nirdesh\w{0,30}|niyam\w{0,30}|instructions?)\b/g,
    needs: [
      /\b(?:bhool|bhul|ignore|andekha|anadekha|nazarandaz) (?:jao|jaiye|karo|kare|karein|kijiye|kar)\b/,
    ],
    within: 40,
  },
  { name: 'begs for marks in Hindi (Latin letters)', begins: /\bpass kar (?:do|dijiye|dijie|dena)\b/g },
  {
    name: 'demands marks in Hindi',
    begins: /(?:पूरे|पूर्ण|अच्छे|अधिकतम|सारे|पूरा) (?:अंक|नंबर|मार्क्स)/g,
    needs: [/(?<![\p{L}\p{M}])(?:दें|दो|दीजिए|दीजिये|देना|दे दो)(?![\p{L}\p{M}])/u],
    within: 30,
  },
  {
    name: 'overrides instructions in Hindi',
    begins: /(?:निर्देश|नियम|निर्देशों|नियमों)/g,
    needs: [/(?:अनदेखा|भूल जा|नज़रअंदाज़|उपेक्षा)/],
    within: 40,
  },
];
