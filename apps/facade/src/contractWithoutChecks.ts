import { contract } from '@evaluation/rest-contract';
import * as z from 'zod/v4';
import type { Routes } from './forwardToCore.ts';

const ANYTHING = z.unknown();
const ROUTES: Routes = contract;

/**
 * The contract with bodies and queries that accept anything. Core validates them with the contract's schemas after it
 * has checked existence and state: a check here would answer 422 where 404 or 409 takes precedence.
 */
export const contractWithoutChecks: Routes = Object.fromEntries(
  Object.entries(ROUTES).map(([group, endpoints]) => [
    group,
    Object.fromEntries(
      Object.entries(endpoints).map(([endpoint, route]) => [
        endpoint,
        {
          ...route,
          ...('body' in route ? { body: ANYTHING } : {}),
          ...('query' in route ? { query: ANYTHING } : {}),
        },
      ]),
    ),
  ]),
);
