import * as z from 'zod/v4';
import { timestamp, uuid } from './primitives.ts';

export const SCOPES = [
  'evaluation:read',
  'evaluation:write',
  'evaluation:review',
  'evaluation:finalize',
] as const;
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'evaluation:read': 'read everything, and look things up',
  'evaluation:write': 'create and change exams, candidates, uploads and submissions',
  'evaluation:review': 'override marks and approve results',
  'evaluation:finalize': 'finalize results and take that back',
};
export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** See docs/api/me.md. Shape of `institute`: open point `me-institute`. */
export const Account = z
  .object({
    institute: z.object({ id: uuid, name: z.string() }).meta({ id: 'Institute' }),
    scopes: z.array(Scope),
    rate_tier: z.enum(['standard', 'high']),
    daily_copy_quota: z.int(),
    daily_copy_cap: z.int().nullable(),
    quota_used_today: z.int(),
    quota_resets_at: timestamp,
  })
  .meta({ id: 'Account' });
export type Account = z.infer<typeof Account>;
