interface Closable {
  close(): unknown;
}

/** Parts that are closed together, the last one first. */
export const stack = (): { add<T extends Closable>(part: T): T; close(): Promise<void> } => {
  const parts: Closable[] = [];
  return {
    add: (part) => {
      parts.push(part);
      return part;
    },
    close: async () => {
      for (const part of parts.splice(0).toReversed()) await part.close();
    },
  };
};

/** Runs `make` one after the other. */
export const inTurn = async <T>(count: number, make: () => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
};
