import type { Random } from '../../harness/seededRandom.ts';
import type { Book } from './book.ts';
import { STORIES, type Exams, type Story } from './stories.ts';
import type { Teller } from './teller.ts';

/** Clients that play one story after another until they are stopped. */
interface Load {
  /** Starts no more stories, and waits for those under way. */
  finish(): Promise<void>;
}

interface LoadOptions {
  clients: number;
  teller: Teller;
  exams: Exams;
  /** Stories played besides `STORIES`, each with weight 1. */
  others: Readonly<Record<string, Story>>;
  random: Random;
  book: Book;
}

export const startLoad = ({ clients, teller, exams, others, random, book }: LoadOptions): Load => {
  const stories: typeof STORIES = {
    ...STORIES,
    ...Object.fromEntries(Object.entries(others).map(([name, tell]) => [name, { tell, weight: 1 }])),
  };
  const names = Object.entries(stories).flatMap(([name, { weight }]) =>
    Array.from({ length: weight }, () => name),
  );
  // Each story once at first, so that a short run has all of them.
  const first = Object.keys(stories);
  let isOver = false;

  const one = async (): Promise<void> => {
    while (!isOver) {
      const name = first.shift() ?? names[Math.floor(random() * names.length)] ?? '';
      const story = stories[name];
      if (story === undefined) throw new Error(`no story ${name}`);
      try {
        await story.tell(teller, exams);
        book.finishedStories.set(name, (book.finishedStories.get(name) ?? 0) + 1);
      } catch (error) {
        book.wrong.push(`story "${name}": ${error instanceof Error ? error.message : String(error)}`);
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
