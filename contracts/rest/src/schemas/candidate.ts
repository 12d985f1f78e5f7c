import * as z from 'zod/v4';
import { clientId, clientObject, shortText, timestamp, uuid } from './primitives.ts';

/** Spec 2.4. Left out and `null` both keep what is stored. */
export const CandidateInput = z
  .object({
    external_id: clientId,
    name: shortText(255).nullish(),
    roll_number: shortText(64).nullish(),
    section_or_class: shortText(64).nullish(),
    metadata: clientObject.nullish(),
  })
  .meta({ id: 'CandidateInput', description: 'A candidate, identified by your own `external_id`.' });
export type CandidateInput = z.infer<typeof CandidateInput>;

export const Candidate = z
  .object({
    id: uuid,
    external_id: z.string(),
    name: z.string().nullable(),
    roll_number: z.string().nullable(),
    section_or_class: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Candidate' });
export type Candidate = z.infer<typeof Candidate>;
