import { z } from 'zod'

/** The User-Agent of our visits in logs; statistics ignore agents with `bot`. */
export const VISIT_AGENT = 'HostingControl-health (bot; this server itself)'
/** The User-Agent for servers of others. */
export const OTHER_SERVER_AGENT =
  'HostingControl-certificate (bot; checks where a domain name leads)'

/** A GET of one page, usually of this machine, as a visitor of the site would send it. */
export const VisitRequest = z.object({
  /** The domain of the site, for Host and, with `tls`, for SNI. */
  host: z.string(),
  path: z.string(),
  /** True for TLS without verification: the served certificate is in the answer. */
  tls: z.boolean(),
  /** The first public address of this machine by default. */
  address: z.string().optional(),
  /** 443 with `tls`, else 80 by default. */
  port: z.number().optional(),
  /** Ten seconds by default. */
  timeout_ms: z.number().optional(),
  /** True when the address may be that of another server. */
  is_elsewhere: z.boolean().optional(),
})
export type VisitRequest = z.infer<typeof VisitRequest>

/** Headers that show the state of a site. */
export const VISIT_HEADERS = ['location', 'retry-after', 'x-cache', 'content-type'] as const

/** The outcome of a visit; `ms` is the time from the first sent byte to the end or the timeout. */
export const VisitResult = z.union([
  z.object({
    status: z.number(),
    headers: z.partialRecord(z.enum(VISIT_HEADERS), z.string()),
    /** The beginning of the body. */
    body: z.string(),
    /** The fingerprint of the served certificate: SHA-256 in hexadecimal with colons. */
    fingerprint: z.string().optional(),
    /** The address of this machine that the connection came from. */
    from: z.string().optional(),
    ms: z.number(),
  }),
  z.object({ failed: z.enum(['refused', 'timeout', 'tls', 'broken']), ms: z.number() }),
])
export type VisitResult = z.infer<typeof VisitResult>
export const VisitResults = z.array(VisitResult)

/** The answer of PHP-FPM to a ping: `refused` when nothing listens, `busy` when its queue is full. */
export type PingResult = 'pong' | 'silent' | 'refused' | 'busy' | 'other'

/** A private key and the chain of a certificate for it, as PEM. */
export interface KeyPair {
  domain: string
  key: string
  chain: string
}

export interface Visitor {
  /** Runs several visits concurrently with limits of time and size; returns outcomes in order. */
  visit(visits: readonly VisitRequest[]): Promise<VisitResult[]>
  /** Pings PHP-FPM over its socket (`ping.path`): no file of the site is run. */
  pingFpm(socket: string): Promise<PingResult>
  /** Returns its status as JSON (`pm.status_path`); undefined without an answer. */
  fpmStatus(socket: string): Promise<string | undefined>
  /**
   * Runs a TLS handshake that serves this pair, without nginx; returns the fingerprint of the
   * certificate that a client gets, as in VisitResult. Throws for a pair that does not work.
   */
  handshake(pair: KeyPair): Promise<string>
}
