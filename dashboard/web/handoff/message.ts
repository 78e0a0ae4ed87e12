/** The message of the new tab once it listens. */
export const READY = 'handoff-ready'

/** The answer to it: a token, and the address of a site that takes it by POST. */
export interface Handoff {
  url: string
  token: string
}

export function isHandoff(value: unknown): value is Handoff {
  const { url, token } = Object(value) as Record<string, unknown>
  return typeof url === 'string' && /^https?:\/\//.test(url) && typeof token === 'string'
}
