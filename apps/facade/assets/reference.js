/* The reference of the API: Swagger UI over /v1/openapi.json, with a search that includes fields. */

const OPERATION_PARTS = ['summary', 'description', 'parameters', 'requestBody'];

/** All words of a value of openapi.json, references followed once. */
const wordsOf = (value, document, seen = new Set()) => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { $ref } = value;
  if (typeof $ref === 'string') {
    if (seen.has($ref)) return '';
    seen.add($ref);
    const target = $ref
      .slice(2)
      .split('/')
      .reduce((at, part) => at?.[part], document);
    return wordsOf(target, document, seen);
  }
  return Object.entries(value)
    .filter(([key]) => key !== 'examples')
    .map(([key, part]) => `${key} ${wordsOf(part, document, seen)}`)
    .join(' ');
};

/** What a search for an operation looks in: its path, its texts, and the fields of its body and of its answer. */
const searchTexts = (document) => {
  const texts = new Map();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const answers = Object.entries(operation.responses).filter(([status]) => status < '300');
      const parts = [...OPERATION_PARTS.map((part) => operation[part]), answers];
      texts.set(`${method} ${path}`, `${path} ${wordsOf(parts, document)}`.toLowerCase());
    }
  }
  return texts;
};

const show = async () => {
  const document = await (await fetch('/v1/openapi.json')).json();
  const texts = searchTexts(document);
  const isFound = (operation, words) => {
    const text = texts.get(`${operation.get('method')} ${operation.get('path')}`) ?? '';
    return words.every((word) => text.includes(word));
  };
  globalThis.SwaggerUIBundle({
    spec: document,
    dom_id: '#reference',
    deepLinking: true,
    filter: true,
    defaultModelsExpandDepth: 0,
    // No calls from here: an API key must never be in a browser.
    supportedSubmitMethods: [],
    onComplete: () => {
      const search = globalThis.document.querySelector('.operation-filter-input');
      if (search !== null) search.placeholder = 'Search paths, texts and fields';
    },
    plugins: [
      () => ({
        fn: {
          opsFilter: (tags, phrase) => {
            const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
            return tags
              .map((tag) => tag.update('operations', (all) => all.filter((one) => isFound(one, words))))
              .filter((tag) => tag.get('operations').size > 0);
          },
        },
      }),
    ],
  });
};

void show();
