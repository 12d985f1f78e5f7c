/** Where the services of this test run are; started once for all test files, which get it from vitest's `inject`. */
export interface TestServices {
  postgres: {
    /** May create and drop databases. */
    superuserUrl: string;
    /** The service's own role: no superuser, owner of the template and of each clone. Its database is empty. */
    url: string;
    /** Name of the migrated database that clones are copies of. Nobody can connect to it. */
    template: string;
  };
  nats: {
    /** Of the user that may do everything. */
    url: string;
    /** Of each part's own user, in every namespace; `url` where the server has none. */
    urls: { core: string; facade: string; worker: string };
  };
  s3: { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string };
}

/** Services, and the end of them. */
export interface StartedServices {
  services: TestServices;
  close(): Promise<void>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    testServices: TestServices;
  }
}
