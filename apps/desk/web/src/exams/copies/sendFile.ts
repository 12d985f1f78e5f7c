/** Headers that a browser sets itself and does not let pages set. */
const OF_THE_BROWSER = new Set(['content-length', 'host']);

/**
 * Sends a file to a presigned address. XMLHttpRequest reports how much was sent, which fetch does not.
 * @throws Error if the store refuses the file or cannot be reached
 */
export const sendFile = (
  { url, headers }: { url: string; headers: Readonly<Record<string, string>> },
  file: Blob,
  onProgress: (share: number) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      onProgress(total === 0 ? 0 : loaded / total),
    );
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new Error(`the object store answered ${request.status}`));
    });
    request.addEventListener('error', () => reject(new Error('the object store cannot be reached')));
    request.addEventListener('timeout', () => reject(new Error('the object store did not answer in time')));
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers))
      if (!OF_THE_BROWSER.has(name.toLowerCase())) request.setRequestHeader(name, value);
    request.send(file);
  });
