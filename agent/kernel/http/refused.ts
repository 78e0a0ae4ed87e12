/** Answered as 401 with a constant body for any reason. */
export class Refused extends Error {
  readonly headers: Record<string, string>

  constructor(headers: Record<string, string> = {}) {
    super('Unauthorized')
    this.headers = headers
  }
}
