import type { Staff } from './session.ts';
import type { TextKey } from './texts.ts';

/** An entry of the main navigation. An area lists an entry only for a page that exists. */
export interface NavigationEntry {
  path: string;
  label: TextKey;
  /** Roles that see the entry. Core decides what a role may do. */
  roles: readonly Staff['role'][];
}
