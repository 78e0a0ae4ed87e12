/**
 * Loads the library of WebAuthn when it is first needed: most starts verify no passkey. A part of it
 * needs the polyfill before, which a bundle does not load first by itself.
 */
export async function loadWebauthn() {
  await import('reflect-metadata')
  return import('@simplewebauthn/server')
}
