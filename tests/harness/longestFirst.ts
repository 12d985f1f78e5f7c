import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of 30 seconds and more, longest first, so that none begins last and runs alone. */
const LONGEST = [
  'tests/desk/exams.test.ts',
  'tests/fixtures/programs.test.ts',
  'tests/desk/marking.test.ts',
  'tests/journeys/silence.test.ts',
  'tests/cli/demo.test.ts',
  'tests/journeys/hostile-copies.test.ts',
  'tests/cli/stopping.test.ts',
  'tests/desk/administration.test.ts',
  'tests/desk/deciding.test.ts',
  'tools/chaos/chaos.test.ts',
  'tests/resilience/restarts.test.ts',
  'tests/journeys/model-trouble.test.ts',
  'tests/resilience/workers.test.ts',
  'packages/grader/src/openai/ask.test.ts',
  'tests/journeys/large-copy.test.ts',
  'tests/journeys/graders.test.ts',
  'apps/cli/src/agreement/agreement.test.ts',
  'tests/resilience/deadlines.test.ts',
  'tests/journeys/redraw.test.ts',
  'tests/chart/refusals.test.ts',
  'tests/resilience/lanes.test.ts',
  'tests/resilience/breaker.test.ts',
  'tests/journeys/guide.test.ts',
  'tests/desk/sign-in.test.ts',
  'packages/pdf/src/hostileCopies.test.ts',
  'tests/journeys/copy.test.ts',
  'tests/images/bundle.test.ts',
  'apps/core/src/submissions/submissionLists.test.ts',
  'tests/resilience/hostile-bodies.test.ts',
  'tests/resilience/rate-limit-replicas.test.ts',
  'tests/rest/review/kept-on-replacement.test.ts',
  'tools/benchmarks/bench.test.ts',
  'tests/rest/exams/policy-delays.test.ts',
];

/** Vitest's order of test files with `LONGEST` first. Vitest knows durations only from a cache of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.indexOf(relative(this.ctx.config.root, moduleId));
      return index === -1 ? LONGEST.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
