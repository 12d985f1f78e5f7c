import { measuresOf, type Row, type Verdict } from './row.ts';
import { alternate, type Measured } from './rounds.ts';
import type { Servers } from './servers.ts';

export interface RowResult {
  name: string;
  what: string;
  measured: Measured[];
  absent: string[];
  verdicts: Verdict[];
}

export interface BenchOptions {
  rounds: number;
  /** Share of the usual operations of a round. */
  scale: number;
  countTransactions: boolean;
}

export const measureRow = async (servers: Servers, row: Row, options: BenchOptions): Promise<RowResult> => {
  const { sides, absent = [], close } = await row.open(servers, options.scale);
  try {
    const measured = await alternate(sides, { ...options, warmRounds: row.warmRounds ?? 1 });
    return {
      name: row.name,
      what: row.what,
      measured,
      absent,
      verdicts: row.verdicts(measuresOf(measured)),
    };
  } finally {
    await close();
  }
};
