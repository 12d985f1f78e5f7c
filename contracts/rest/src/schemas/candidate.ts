import * as z from 'zod/v4';
import {
  clientId,
  clientObject,
  givenId,
  listOf,
  listQuery,
  shortText,
  timestamp,
  uuid,
} from './primitives.ts';

/** See docs/api/candidates.md#fields. An absent field and `null` both keep the stored value. */
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

const Candidates = z.array(CandidateInput).min(1).max(2000);

export const CandidatesCreate = z
  .object({ candidates: Candidates })
  .meta({ id: 'CandidatesCreate', description: 'Candidates to create or update, matched on `external_id`.' });
export type CandidatesCreate = z.infer<typeof CandidatesCreate>;

export const CandidatesCreated = z
  .object({
    candidates: z.array(
      z.object({ id: uuid, external_id: z.string(), created: z.boolean() }).meta({ id: 'CandidateCreated' }),
    ),
  })
  .meta({ id: 'CandidatesCreated' });
export type CandidatesCreated = z.infer<typeof CandidatesCreated>;

export const CandidateSearch = z
  .object({ external_ids: z.array(clientId).min(1).max(500) })
  .meta({ id: 'CandidateSearch', description: 'Your own ids of candidates.' });
export type CandidateSearch = z.infer<typeof CandidateSearch>;

export const CandidatesFound = z.object({ data: z.array(Candidate) }).meta({ id: 'CandidatesFound' });
export type CandidatesFound = z.infer<typeof CandidatesFound>;

/** Core checks that exactly one of the two fields is sent. */
export const CandidatesRegister = z
  .object({
    candidates: Candidates.nullish(),
    candidate_ids: z.array(givenId).min(1).max(2000).nullish(),
  })
  .meta({ id: 'CandidatesRegister', description: 'Send `candidates` or `candidate_ids`, exactly one.' });
export type CandidatesRegister = z.infer<typeof CandidatesRegister>;

export const CandidatesRegistered = z
  .object({
    registered: z.int(),
    already_registered: z.int(),
    candidates: z.array(
      z
        .object({ id: uuid, external_id: z.string(), registration_id: uuid })
        .meta({ id: 'CandidateRegistered' }),
    ),
  })
  .meta({ id: 'CandidatesRegistered' });
export type CandidatesRegistered = z.infer<typeof CandidatesRegistered>;

/** A candidate of an exam, in the order of the registrations (docs/api/candidates.md). */
export const RegisteredCandidate = z
  .object({
    ...Candidate.shape,
    registration_id: uuid,
    submission_id: uuid.nullable(),
    submission_status: z.string().nullable(),
  })
  .meta({
    id: 'RegisteredCandidate',
    description:
      "A candidate on an exam. `updated_at` is the registration's: it moves with the candidate and with the status of the live submission. On a blind exam `name` is null.",
  });
export type RegisteredCandidate = z.infer<typeof RegisteredCandidate>;

export const RegisteredCandidateList = listOf(RegisteredCandidate).meta({ id: 'RegisteredCandidateList' });
export type RegisteredCandidateList = z.infer<typeof RegisteredCandidateList>;

export const RegisteredCandidateQuery = z.object(listQuery(200, 50));
export type RegisteredCandidateQuery = z.infer<typeof RegisteredCandidateQuery>;
