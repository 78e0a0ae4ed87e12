/**
 * Who may ask. `none` is for tests and for a machine that manages itself, on loopback only (config.ts
 * refuses anything else). `signed` without a trusted key trusts nobody.
 */
export function gate(auth: 'signed' | 'none'): (request: Request) => Promise<boolean> {
  return async () => auth === 'none'
}
