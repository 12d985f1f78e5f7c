/** @returns one line for the console if no container engine answers; null if one does */
export const whyNoContainers = async (
  findEngine: () => Promise<unknown> = findDocker,
): Promise<string | null> => {
  try {
    await findEngine();
    return null;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `TEST_SERVICES=containers needs a running Docker engine, and none answers (${reason}). Start one, or unset TEST_SERVICES.`;
  }
};

// Loaded on demand: the client of Docker is large.
const findDocker = async (): Promise<unknown> => (await import('testcontainers')).getContainerRuntimeClient();
