import type { Candidate } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';

export interface CandidateRow {
  id: string;
  external_id: string;
  name: string | null;
  roll_number: string | null;
  section_or_class: string | null;
  metadata: unknown;
  created_at: Date;
  updated_at: Date;
}

export const CANDIDATE_COLUMNS = [
  'id',
  'external_id',
  'name',
  'roll_number',
  'section_or_class',
  'metadata',
  'created_at',
  'updated_at',
] as const;

export const candidateOf = (row: CandidateRow): Candidate => ({
  id: row.id,
  external_id: row.external_id,
  name: row.name,
  roll_number: row.roll_number,
  section_or_class: row.section_or_class,
  metadata: row.metadata === null ? null : z.record(z.string(), z.unknown()).parse(row.metadata),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
