import type { Site } from './sites.ts'

/** The part that a temporary site has in an isolation check. */
export type Role = 'attacker' | 'neighbour'

/** Nobody can own a name below `.invalid` (RFC 2606). */
const NAME = /^(?:www\.)?canary-(attacker|neighbour)-([a-z][a-z0-9]{15})\.invalid$/

/** Whether a domain is that of a temporary site of an isolation check, which is never listed. */
export const isCanary = (domain: string): boolean => NAME.test(domain)

export const roleOf = ({ domain }: Pick<Site, 'domain'>): Role =>
  NAME.exec(domain)?.[1] === 'attacker' ? 'attacker' : 'neighbour'

/** The random part of the name of a temporary site. */
export const randomOf = ({ domain }: Pick<Site, 'domain'>): string => NAME.exec(domain)?.[2] ?? ''
