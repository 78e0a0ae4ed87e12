import { notFound } from '#shared/kernel/errors.ts'

/**
 * Returns the path of a request line, without the query. Elysia's own is wrong for a short or empty
 * Host header, and a guard that trusts it can be bypassed. Bun returns the path alone, without
 * scheme and host, for an invalid Host header.
 */
export function pathOf(url: string): string {
  const host = url.startsWith('/') ? 0 : url.indexOf('://') + 3
  const start = url.indexOf('/', host)
  const query = url.indexOf('?', host)
  if (start < 0 || (query >= 0 && query < start)) return '/'
  return url.slice(start, query < 0 ? undefined : query)
}

export function queryOf(url: string): string {
  const query = url.indexOf('?')
  return query < 0 ? '' : url.slice(query)
}

/** Parses an id in a path. Throws 404 for `what` for anything but a positive integer. */
export function idIn(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw notFound(what)
  return Number(text)
}

/** Returns the number of the last event that a client has seen; 0 for none or an invalid one. */
export function lastEventIdOf(request: Request): number {
  const value = request.headers.get('last-event-id') ?? ''
  return /^\d{1,9}$/.test(value) ? Number(value) : 0
}
