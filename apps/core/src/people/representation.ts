import { SCOPES_OF_STAFF, type Role } from './roles.ts';

/** The person behind a session, for the desk's server, which signs an actor from it. */
export interface SignedIn {
  session_id: string;
  id: string;
  institute_id: string;
  institute_name: string;
  name: string;
  email: string;
  role: Role;
  scopes: string[];
  /** Time in ms until which the person need not give the password again for acts that `provenProcedure` guards. */
  proved_until: number;
}

/** Long enough for one piece of work on accounts or keys. */
const PROOF_MS = 15 * 60 * 1000;

export const signedInOf = (
  session: { id: string; proved_at: Date },
  staff: Pick<SignedIn, 'id' | 'institute_id' | 'name' | 'email' | 'role'> & { institute: { name: string } },
): SignedIn => ({
  session_id: session.id,
  id: staff.id,
  institute_id: staff.institute_id,
  institute_name: staff.institute.name,
  name: staff.name,
  email: staff.email,
  role: staff.role,
  scopes: [...SCOPES_OF_STAFF],
  proved_until: session.proved_at.getTime() + PROOF_MS,
});

export interface StaffMember {
  id: string;
  email: string;
  name: string;
  role: Role;
  /** `invited`: the person has neither set a password nor signed in with a provider. */
  state: 'invited' | 'active' | 'disabled';
  last_sign_in_at: string | null;
  created_at: string;
}

/** Columns of `memberOf`. */
export const MEMBER = {
  id: true,
  email: true,
  name: true,
  role: true,
  disabled_at: true,
  last_sign_in_at: true,
  created_at: true,
  password_hash: true,
  identities: { select: { staff_id: true }, take: 1 },
} as const;

export interface StaffRow extends Pick<StaffMember, 'id' | 'email' | 'name' | 'role'> {
  disabled_at: Date | null;
  last_sign_in_at: Date | null;
  created_at: Date;
  password_hash: string | null;
  identities: unknown[];
}

/** The person has set a password or signed in with a provider. */
export const hasJoined = ({ password_hash, identities }: StaffRow): boolean =>
  password_hash !== null || identities.length > 0;

export const memberOf = (row: StaffRow): StaffMember => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role,
  state: row.disabled_at !== null ? 'disabled' : hasJoined(row) ? 'active' : 'invited',
  last_sign_in_at: row.last_sign_in_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});
