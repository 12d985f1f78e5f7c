import type { Failure, Inputs, Kinds, Outputs } from './procedures.d.ts';

/*
 * Types of the packed client (`npm run pack:core-client`): those of `src/index.ts` for the public router, without an
 * import of core.
 */

export type { Failure, Inputs, Outputs };

/** The member of staff, or the API key, for whom a call is made. */
export interface Actor {
  institute_id: string;
  /** The API key; for a member of staff, the id of that person. */
  key_id: string;
  scopes: string[];
  staff?: { role: string; proved_until?: number | undefined } | undefined;
}

/** An actor for a member of staff whom your service has authenticated. */
export declare const staffActor: (staff: {
  institute_id: string;
  staff_id: string;
  role: string;
  scopes: string[];
  /** Time in ms until which the person counts as present. Absent if your service vouches for it. */
  proved_until?: number;
}) => Actor;

interface Caller {
  actor?: Actor;
  requestId?: string;
  /** Commands take effect once per key; `replayOf` recognises a repetition. */
  idempotent?: {
    key: string;
    /** Hash of what is sent. */
    fingerprint: string;
  };
}

type Options = { signal?: AbortSignal };
type Arguments<Input> = undefined extends Input
  ? [input?: Input, options?: Options]
  : void extends Input
    ? [input?: undefined, options?: Options]
    : [input: Input, options?: Options];

type Call<Path extends keyof Kinds> = Kinds[Path] extends 'query'
  ? { query(...call: Arguments<Inputs[Path]>): Promise<Outputs[Path]> }
  : { mutate(...call: Arguments<Inputs[Path]>): Promise<Outputs[Path]> };

type Heads = keyof Kinds extends infer Path ? (Path extends `${infer Head}.${string}` ? Head : Path) : never;
type TailsOf<Head extends string> = keyof Kinds extends infer Path
  ? Path extends `${Head}.${infer Tail}`
    ? Tail
    : never
  : never;

/** The public procedures, as `public.exams.list.query(input)`. */
export type PublicCalls = {
  [Head in Heads]: Head extends keyof Kinds
    ? Call<Head>
    : { [Tail in TailsOf<Head>]: Call<`${Head}.${Tail}` & keyof Kinds> };
};

export interface CoreOverHttp {
  as(caller: Caller): { public: PublicCalls };
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Core at this address. */
export declare const coreOverHttp: (options: {
  url: string;
  /** CORE_PUBLIC_TOKEN. */
  token: string;
  /** A signing key of your team. Keep it on a server: who has it can act as any member of staff of its limits. */
  actorSigningKey?: string;
}) => CoreOverHttp;

/** The typed failure in core's response; null without one. */
export declare const failureOf: (error: unknown) => Failure | null;

/** The stored response of the first request with the same key; null for other errors. */
export declare const replayOf: (error: unknown) => { body: unknown } | { failure: Failure } | null;

/** True when core gave no response. Whether the call took effect is unknown. */
export declare const isUnreachable: (error: unknown) => boolean;

/** True when core refused the form of a call's input: sent again, it is refused again. */
export declare const isInputRefused: (error: unknown) => boolean;
