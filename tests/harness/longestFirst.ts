import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of 40 seconds and more, longest first, so that none begins last and runs alone. */
const LONGEST = [
  'tests/cli/stopping.test.ts',
  'tests/chaos/chaos.test.ts',
  'tests/desk/exams.test.ts',
  'tests/resilience/rate-limit-replicas.test.ts',
  'tests/cli/demo.test.ts',
  'tests/journeys/silence.test.ts',
  'tests/journeys/same-answers.test.ts',
  'tests/journeys/throughput.test.ts',
  'tests/journeys/reading.test.ts',
  'tests/resilience/cancel.test.ts',
  'packages/pdf/src/hostileCopies.test.ts',
  'tests/journeys/model-preflight.test.ts',
  'tests/journeys/redraw.test.ts',
  'tests/resilience/breaker.test.ts',
  'tests/resilience/workers.test.ts',
  'tests/images/bundle.test.ts',
  'tests/journeys/graders.test.ts',
  'tests/journeys/model-trouble.test.ts',
  'tests/resilience/deadlines.test.ts',
  'tests/desk/deciding.test.ts',
  'tests/desk/marking.test.ts',
  'tests/desk/administration.test.ts',
  'tests/journeys/hostile-copies.test.ts',
  'tests/resilience/restarts.test.ts',
  'tests/journeys/large-copy.test.ts',
  'packages/grader/src/openai/ask.test.ts',
  'packages/embedded/src/postgres/start.test.ts',
  'tests/benchmarks/bench.test.ts',
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
