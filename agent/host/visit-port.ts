import { z } from 'zod'

/** A GET of one page of this machine, as a visitor of the site would send it. */
export const Visit = z.object({
  /** Of the site: goes into Host and, with `tls`, into SNI. */
  host: z.string(),
  path: z.string(),
  /** Nothing is verified: what is served is in the answer. */
  tls: z.boolean(),
  /** Of this machine; left out: the first one that visitors use. */
  address: z.string().optional(),
  /** Left out: 443 with `tls`, else 80. */
  port: z.number().optional(),
})
export type Visit = z.infer<typeof Visit>

/** Headers that say something of the state of a site. */
export const VISIT_HEADERS = ['location', 'retry-after', 'x-cache', 'content-type'] as const

/** What came of it: `ms` from the first byte that was sent to the end, or to where it was given up. */
export const Visited = z.union([
  z.object({
    status: z.number(),
    headers: z.partialRecord(z.enum(VISIT_HEADERS), z.string()),
    /** The beginning. */
    body: z.string(),
    /** Of the certificate that was served, as X509Certificate writes it: SHA-256 in hexadecimal with colons. */
    fingerprint: z.string().optional(),
    ms: z.number(),
  }),
  z.object({ failed: z.enum(['refused', 'timeout', 'tls', 'broken']), ms: z.number() }),
])
export type Visited = z.infer<typeof Visited>
export const VisitedList = z.array(Visited)

/** What a PHP-FPM says to its ping: `refused` when nothing listens, `busy` when its queue is full. */
export type Pinged = 'pong' | 'silent' | 'refused' | 'busy' | 'other'

export interface Visitor {
  /** Several at a time, each within a limit of time and size; one outcome for each, in their order. */
  visit(visits: readonly Visit[]): Promise<Visited[]>
  /** Asks PHP-FPM itself over its socket (`ping.path`): no file of the site is run. */
  pingFpm(socket: string): Promise<Pinged>
}
