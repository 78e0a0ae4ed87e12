import type { Site } from './sites.ts'

/** The part that a temporary site has in an isolation check. */
export type CanaryRole = 'attacker' | 'neighbour'

/** Matches a name below `.invalid`, which nobody can own (RFC 2606). */
const NAME = /^(?:www\.)?canary-(attacker|neighbour)-([a-z][a-z0-9]{15})\.invalid$/

/** Returns whether a domain is that of a temporary site of an isolation check, never listed. */
export const isCanary = (domain: string): boolean => NAME.test(domain)

export const roleOf = ({ domain }: Pick<Site, 'domain'>): CanaryRole =>
  NAME.exec(domain)?.[1] === 'attacker' ? 'attacker' : 'neighbour'

/** Returns the random part of the name of a temporary site. */
export const randomPartOf = ({ domain }: Pick<Site, 'domain'>): string =>
  NAME.exec(domain)?.[2] ?? ''
