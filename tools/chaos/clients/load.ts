import type { Random } from '../../../tests/harness/seededRandom.ts';
import type { Book } from './book.ts';
import { SCENARIOS, type Exams, type Scenario } from './scenarios.ts';
import type { ScenarioSteps } from './scenarioSteps.ts';

/** Clients that run one scenario after another until they are stopped. */
interface Load {
  /** Starts no more scenarios, and waits for those under way. */
  finish(): Promise<void>;
}

interface LoadOptions {
  clients: number;
  steps: ScenarioSteps;
  exams: Exams;
  /** Scenarios besides `SCENARIOS`, each with weight 1. */
  others: Readonly<Record<string, Scenario>>;
  random: Random;
  book: Book;
}

export const startLoad = ({ clients, steps, exams, others, random, book }: LoadOptions): Load => {
  const scenarios: typeof SCENARIOS = {
    ...SCENARIOS,
    ...Object.fromEntries(Object.entries(others).map(([name, run]) => [name, { run, weight: 1 }])),
  };
  const names = Object.entries(scenarios).flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  );
  // Each scenario once at first, so that a short run has all of them.
  const first = Object.keys(scenarios);
  let isOver = false;

  const one = async (): Promise<void> => {
    while (!isOver) {
      const name = first.shift() ?? names[Math.floor(random() * names.length)] ?? '';
      const scenario = scenarios[name];
      if (scenario === undefined) throw new Error(`no scenario ${name}`);
      try {
        await scenario.run(steps, exams);
        book.finishedScenarios.set(name, (book.finishedScenarios.get(name) ?? 0) + 1);
      } catch (error) {
        book.wrong.push(`scenario "${name}": ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  const all = Array.from({ length: clients }, one);
  return {
    finish: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
};
