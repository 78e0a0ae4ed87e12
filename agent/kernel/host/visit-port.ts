import { z } from 'zod'

/** Identifies our visits in logs; statistics ignore agents with `bot`. */
export const VISIT_AGENT = 'HostingControl-health (bot; this server itself)'
/** Also sent to the servers of others. */
export const ELSEWHERE_AGENT = 'HostingControl-certificate (bot; checks where a domain name leads)'

/** A GET of one page, usually of this machine, as a visitor of the site would send it. */
export const Visit = z.object({
  /** The domain of the site, for Host and, with `tls`, for SNI. */
  host: z.string(),
  path: z.string(),
  /** Nothing is verified: the served certificate is in the answer. */
  tls: z.boolean(),
  /** Default: the first public one of this machine. */
  address: z.string().optional(),
  /** Default: 443 with `tls`, else 80. */
  port: z.number().optional(),
  /** Default: ten seconds. */
  timeout_ms: z.number().optional(),
  /** The address may be that of another server. */
  is_elsewhere: z.boolean().optional(),
})
export type Visit = z.infer<typeof Visit>

/** Headers that show the state of a site. */
export const VISIT_HEADERS = ['location', 'retry-after', 'x-cache', 'content-type'] as const

/** The outcome: `ms` from the first sent byte to the end or the timeout. */
export const Visited = z.union([
  z.object({
    status: z.number(),
    headers: z.partialRecord(z.enum(VISIT_HEADERS), z.string()),
    /** The beginning. */
    body: z.string(),
    /**
     * The fingerprint of the served certificate, as X509Certificate writes it: SHA-256 in
     * hexadecimal with colons.
     */
    fingerprint: z.string().optional(),
    /** The address of this machine that the connection came from. */
    from: z.string().optional(),
    ms: z.number(),
  }),
  z.object({ failed: z.enum(['refused', 'timeout', 'tls', 'broken']), ms: z.number() }),
])
export type Visited = z.infer<typeof Visited>
export const VisitedList = z.array(Visited)

/** The answer of PHP-FPM to a ping: `refused` when nothing listens, `busy` when its queue is full. */
export type Pinged = 'pong' | 'silent' | 'refused' | 'busy' | 'other'

/** A private key and the chain of a certificate for it, as PEM. */
export interface Pair {
  domain: string
  key: string
  chain: string
}

export interface Visitor {
  /** Several concurrent visits, each with limits of time and size; one outcome for each, in order. */
  visit(visits: readonly Visit[]): Promise<Visited[]>
  /** Pings PHP-FPM over its socket (`ping.path`): no file of the site is run. */
  pingFpm(socket: string): Promise<Pinged>
  /** Its status as JSON (`pm.status_path`); undefined without an answer. */
  fpmStatus(socket: string): Promise<string | undefined>
  /**
   * A TLS handshake that serves this pair, without nginx: the fingerprint of the certificate that a
   * client gets, as in Visited. Throws for a pair that does not work.
   */
  handshake(pair: Pair): Promise<string>
}
