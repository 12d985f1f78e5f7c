import type { PublicRouter } from '@evaluation/core-client';
import { SCOPES, type Scope } from '@evaluation/rest-contract/schemas/account';
import type { inferRouterOutputs } from '@trpc/server';
import type { TextKey } from '../app/language.ts';

export type Key = inferRouterOutputs<PublicRouter>['desk']['keys']['list']['data'][number];

export const stateOfKey = ({
  revoked_at,
  expires_at,
}: Pick<Key, 'revoked_at' | 'expires_at'>): 'active' | 'expired' | 'revoked' => {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? 'expired' : 'active';
};

/** A revocation is final: a revoked key cannot be changed or revoked. */
export const isRevocable = (key: Key): boolean => key.revoked_at === null;

const NAMES: Readonly<Record<Scope, TextKey>> = {
  'evaluation:read': 'administration.scope.read',
  'evaluation:write': 'administration.scope.write',
  'evaluation:review': 'administration.scope.review',
  'evaluation:finalize': 'administration.scope.finalize',
};

export const isScope = (scope: string): scope is Scope => SCOPES.some((known) => known === scope);

/** A scope of a later release has no name here. */
export const scopeName = (scope: string): TextKey =>
  isScope(scope) ? NAMES[scope] : 'administration.scope.other';

export { SCOPES };
