/** Nonce of the content security policy, without which the browser ignores style elements that a library adds. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

// Read by `get-nonce`, which locks the scrolling of the page while a dialog is open.
Reflect.set(globalThis, '__webpack_nonce__', nonce);
