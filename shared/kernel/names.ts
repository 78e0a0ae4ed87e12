const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Matches letters, digits, hyphen, dot and non-ASCII letters: all else is refused first. */
const typed = /^[\p{L}\p{M}\p{N}.-]+$/u

/** Matches a last label that makes the whole an IPv4 address to a URL parser (WHATWG URL 3.5). */
const numeric = /^(\d+|0x[0-9a-f]*)$/

/**
 * Returns the A-label form of a domain name; undefined for an invalid one. Checked before and after
 * the conversion, because URL parsers turn `example.com/../x`, `exa%6dple.com` and `0x7f.1` into
 * names that nobody typed (RFC 5891 section 5, WHATWG URL 3.3).
 */
export function canonicalDomain(value: string): string | undefined {
  const name = value.normalize('NFKC').toLowerCase().replace(/\.$/, '')
  if (!typed.test(name) || name.startsWith('.') || name.includes('..')) return undefined
  const ascii = toAscii(name)
  if (ascii === undefined || ascii.length > 253) return undefined
  const labels = ascii.split('.')
  if (labels.length < 2 || !labels.every((part) => label.test(part))) return undefined
  return numeric.test(labels.at(-1) ?? '') || !sameLabels(name, ascii) ? undefined : ascii
}

/** Returns whether it is a DNS name (one label is enough) or an IPv4/IPv6 literal. */
export function isHostname(value: string): boolean {
  if (value.length > 253) return false
  if (isIpLiteral(value)) return true
  const labels = value.split('.')
  return labels.every((part) => label.test(part)) && !numeric.test(labels.at(-1) ?? '')
}

/** Returns whether it is dotted IPv4 or IPv6 without brackets and zone; Bun accepts `::1:`. */
export function isIpLiteral(value: string): boolean {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(value))
    return value.split('.').every((part) => Number(part) < 256 && String(Number(part)) === part)
  if (!/^[0-9a-f:.]+$/i.test(value) || !value.includes(':')) return false
  if (/[^:]:$/.test(value)) return false
  return URL.canParse(`http://[${value}]/`)
}

/** Returns whether a name stands for all names below a domain, such as `*.example.com`. */
export const isWildcard = (name: string): boolean => name.startsWith('*.')

/** Returns the name at which a certificate for it is validated: without a star. */
export const baseOf = (name: string): string => (isWildcard(name) ? name.slice(2) : name)

/** Returns whether a name of a certificate is valid for a name: a star is one label (RFC 6125). */
export const isCovered = (name: string, written: string): boolean =>
  written === name ||
  (isWildcard(written) && !isWildcard(name) && name.slice(name.indexOf('.')) === written.slice(1))

/** Returns the name without `www.`, which is unique across sites. */
export function apexOf(domain: string): string {
  return domain.startsWith('www.') && domain.split('.').length > 2 ? domain.slice(4) : domain
}

function toAscii(name: string): string | undefined {
  if (/^[a-z0-9.-]+$/.test(name) && !name.includes('xn--')) return name
  if (!URL.canParse(`http://${name}/`)) return undefined
  return new URL(`http://${name}/`).hostname
}

/** Returns whether the number of labels is unchanged: a conversion changes letters only. */
function sameLabels(name: string, ascii: string): boolean {
  return name.split('.').length === ascii.split('.').length
}
