import { domainToUnicode } from 'node:url'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { pairOf } from '#shared/kernel/site-names.ts'

/** Returns both names of a site, the longest first, and their internationalised forms. */
export function writtenNamesOf(domain: string): string[] {
  const names = pairOf(domain).flatMap((name) => {
    const written = domainToUnicode(name)
    return written !== name && canonicalDomain(written) === name ? [name, written] : [name]
  })
  return names.sort((one, other) => other.length - one.length)
}
