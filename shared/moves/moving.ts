import { z } from 'zod'
import { oneOf } from '#shared/kernel/fields.ts'

/** An address without a zone: nginx connects to it, and compares it with its peers'. */
export const Address = z.union([z.ipv4(), z.ipv6()], 'Must be an IP address')

/** The states in which a site serves while it moves between two servers. */
const SWITCHES = [
  'leaving',
  'frozen',
  'parted',
  'returning',
  'arriving',
  'arrived',
  'settled',
] as const
export const Switch = oneOf(SWITCHES)
export type Switch = z.infer<typeof Switch>

/** How one server serves a site that moves; absent when it serves it as usual. */
export const Moving = z.object({
  /** The other server, which gets all requests of a site that has parted. */
  to: Address.optional(),
  /** True when that server requests the certificate, and gets the challenges. */
  challenges: z.boolean().optional(),
  /** True when that server has the site, and this copy only forwards. */
  parted: z.boolean().optional(),
  /**
   * The addresses of the other server, which reports the address of the visitor. A copy that only
   * forwards has them while the site moves back: then it requests its own certificate, and answers
   * the test request.
   */
  from: z.array(Address).max(16).optional(),
  /** True when nobody else is served. */
  closed: z.boolean().optional(),
})
export type Moving = z.infer<typeof Moving>
