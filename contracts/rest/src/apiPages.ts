import { errors } from './errors.ts';
import { everyRoute, type NamedRoute } from './everyRoute.ts';

/*
 * Generated tables of `docs/api/*.md`. A page marks their places:
 *
 *   <!-- endpoints: exams -->  …  <!-- end -->     one row per call, with its scope and status
 *   <!-- errors: exams -->     …  <!-- end -->     one row per error code of these calls
 *
 * The colon is followed by groups (`exams`) or operations (`exams.finalize`); a minus excludes one.
 */

const SECTION = /<!-- (endpoints|errors): ([^>]+?) -->[^]*?<!-- end -->/g;

/** Returns the page with new tables. @throws Error if the contract lacks a group or an operation */
export const withTables = (page: string): string =>
  page.replaceAll(SECTION, (_, kind: string, names: string) => {
    const routes = routesNamed(names.split(/,\s*/));
    const rows = kind === 'endpoints' ? endpointRows(routes) : errorRows(routes);
    return [`<!-- ${kind}: ${names} -->`, '', ...rows, '', '<!-- end -->'].join('\n');
  });

export const operationsOn = (page: string): string[] =>
  [...page.matchAll(SECTION)]
    .filter(([, kind]) => kind === 'endpoints')
    .flatMap(([, , names = '']) => routesNamed(names.split(/,\s*/)).map(({ operation }) => operation));

const routesNamed = (names: readonly string[]): NamedRoute[] => {
  const routes = everyRoute();
  const chosen = names
    .filter((name) => !name.startsWith('-'))
    .flatMap((name) => {
      const found = routes.filter(({ operation }) => operation === name || operation.startsWith(`${name}.`));
      if (found.length === 0) throw new Error(`The contract has no ${name}.`);
      return found;
    });
  return chosen.filter(({ operation }) => !names.includes(`-${operation}`));
};

const callOf = ({ route }: NamedRoute): string =>
  `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;

const endpointRows = (routes: readonly NamedRoute[]): string[] => [
  '| call | what it does | scope | answer |',
  '| --- | --- | --- | --- |',
  ...routes.map((named) => {
    const { route, metadata } = named;
    const [status] = Object.keys(route.responses).filter((code) => Number(code) < 300);
    return `| \`${callOf(named)}\` | ${route.summary} | ${scopeText(metadata.scope)} | \`${status}\` |`;
  }),
];

const scopeText = (scope: string | null): string =>
  scope === null ? 'any key' : `\`${scope.replace('evaluation:', '')}\``;

const errorRows = (routes: readonly NamedRoute[]): string[] => {
  const rows = Object.entries(errors)
    .map(([code, row]) => ({
      code,
      ...row,
      calls: routes.filter(({ metadata }) => metadata.failures.some((failure) => failure === code)),
    }))
    .filter(({ calls }) => calls.length > 0)
    .sort((a, b) => a.status - b.status);
  if (rows.length === 0) return ['None beyond the errors of every call.'];
  return [
    '| status | code | when | calls |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ status, code, when, calls }) =>
        `| ${status} | \`${code}\` | ${when} | ${callsText(calls, routes)} |`,
    ),
  ];
};

const callsText = (calls: readonly NamedRoute[], all: readonly NamedRoute[]): string =>
  calls.length === all.length && all.length > 1
    ? 'all'
    : calls.map((call) => `\`${callOf(call)}\``).join(', ');
