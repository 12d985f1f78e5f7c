/** Addresses of the services of this test run, provided to all test files through vitest's `inject`. */
interface TestServices {
  postgres: {
    /** May create and drop databases. */
    superuserUrl: string;
    /** Connects as the service's role, which owns the template and the clones. The database in the address is empty. */
    url: string;
    /** Name of the migrated template database, which accepts no connections. */
    template: string;
  };
  nats: {
    /** Connects as the user with all permissions. */
    url: string;
    /** Connect as each component's own user; equal to `url` when the server has no such users. */
    urls: { core: string; facade: string; worker: string };
  };
  s3: { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };
}

export interface StartedServices {
  services: TestServices;
  close(): Promise<void>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServices: TestServices;
  }
}
