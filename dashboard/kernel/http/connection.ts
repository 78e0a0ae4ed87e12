import { isIpLiteral } from '#shared/kernel/names.ts'

/** The connection data of a running server; null in a process that does not listen. */
export interface Connection {
  requestIP(request: Request): { address: string } | null
  timeout(request: Request, seconds: number): void
}

/**
 * Returns the address of the client. Only a proxy on this machine is trusted, and only the entry
 * that it added itself: the last of X-Forwarded-For; clients can forge the others.
 */
export function addressOf(request: Request, server: Connection | null): string {
  const peer = server?.requestIP(request)?.address ?? ''
  const forwarded = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  return isLocal(peer) && isIpLiteral(forwarded) ? forwarded : peer
}

/**
 * Whether the browser's connection uses TLS: our own, that of a proxy on this machine, or any if
 * the public address is https, even when a proxy does not send the header.
 */
export function isSecure(
  { public_url }: { public_url: string | undefined },
  request: Request,
  server: Connection | null,
): boolean {
  if (isHttps(public_url) || request.url.startsWith('https:')) return true
  const peer = server?.requestIP(request)?.address ?? ''
  return isLocal(peer) && request.headers.get('x-forwarded-proto') === 'https'
}

/** Returns the address at which servers and browsers reach this dashboard. */
export function originOf(
  { public_url }: { public_url: string | undefined },
  { url }: Request,
): string {
  return public_url ?? new URL(url).origin
}

export function isHttps(public_url: string | undefined): boolean {
  return public_url !== undefined && new URL(public_url).protocol === 'https:'
}

function isLocal(address: string): boolean {
  return /^(::ffff:)?127\./.test(address) || address === '::1'
}
