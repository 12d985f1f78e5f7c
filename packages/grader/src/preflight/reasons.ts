import { RUN_LANES } from '@evaluation/jobs-contract';
import type { Trouble } from '../grader.ts';
import type { PreflightReason } from '../preflightReport.ts';

export type UnavailableReason = PreflightReason | Trouble;

interface Words {
  /** End of "The grading model is not available: it …" for institutes; names neither key, address nor model. */
  clause: string;
  remedy: string;
  /** true if only another model or server configuration helps: a run then fails at once. */
  lasts: boolean;
}

const CONTEXT = 'give the server a longer context (docs/your-own-server.md)';
const SIGHT = 'use a model that sees images; llama.cpp needs --mmproj';

export const UNAVAILABLE: Readonly<Record<UnavailableReason, Words>> = {
  unreachable: {
    clause: 'it cannot be reached',
    remedy: 'look at OPENAI_BASE_URL and whether the server runs',
    lasts: false,
  },
  too_slow: {
    clause: 'it does not answer in time',
    remedy: 'look at the load of the server, or raise MODEL_CALL_SECONDS',
    lasts: false,
  },
  throttled: {
    clause: 'it has too much to do',
    remedy: `look at the limits of the account, or lower ${RUN_LANES.map((lane) => `${lane.toUpperCase()}_MODEL_CALLS`).join(' and ')}`,
    lasts: false,
  },
  refused: {
    clause: 'it refuses this service',
    remedy: 'look at OPENAI_API_KEY, the account, GRADER_MODEL and OPENAI_BASE_URL',
    lasts: false,
  },
  request_refused: {
    clause: 'it refuses requests of this kind',
    remedy: 'look at OPENAI_API_KEY, GRADER_MODEL, GRADER_TEMPERATURE and GRADER_OUTPUT',
    // A gateway may answer an unknown key with a bare 400 (decision 013).
    lasts: false,
  },
  schema_not_kept: {
    clause: 'its replies do not have the form that was asked for',
    remedy: 'use a stronger model, or another GRADER_OUTPUT',
    lasts: true,
  },
  pictures_refused: { clause: 'it takes no images', remedy: SIGHT, lasts: true },
  blind: { clause: 'it does not see images', remedy: SIGHT, lasts: true },
  loses_pictures: { clause: 'it does not see images', remedy: SIGHT, lasts: false },
  context_refused: { clause: 'it takes no long texts', remedy: CONTEXT, lasts: true },
  context_cut: { clause: 'it forgets the beginning of long texts', remedy: CONTEXT, lasts: true },
  too_weak: {
    clause: 'it does not find two words in a long text',
    remedy: 'use a stronger model, or MODEL_PREFLIGHT=off for this one',
    lasts: true,
  },
  loses_text: { clause: 'it forgets the beginning of long texts', remedy: CONTEXT, lasts: false },
};
