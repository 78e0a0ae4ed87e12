/** Thrown for every failed authentication: answered as 401 with a constant body. */
export class Unauthenticated extends Error {
  readonly headers: Record<string, string>

  constructor(headers: Record<string, string> = {}) {
    super('Unauthorized')
    this.headers = headers
  }
}
