/** One address of a header: `name` as written there, `address` without its brackets. */
export interface Mailbox {
  name: string
  address: string
}

/** A quoted string, an address in brackets, a separator, or other text. */
const TOKEN = /"(?:\\.|[^"\\])*"?|<[^>,;]*>?|[,;:]|\\.?|[^",;:<\\]+/gs

/**
 * The mailboxes of an address list (RFC 5322, 3.4), also of a group. Invalid text is returned as it
 * is: the caller checks each address.
 */
export function mailboxesOf(text: string): Mailbox[] {
  const found: Mailbox[] = []
  let name = ''
  let bracketed: string | undefined
  const end = () => {
    const address = (bracketed ?? name).trim()
    if (address !== '') found.push({ name: bracketed === undefined ? '' : name.trim(), address })
    name = ''
    bracketed = undefined
  }
  for (const [token] of withoutComments(text).matchAll(TOKEN)) {
    if (token === ',' || token === ';') end()
    else if (token === ':') name = ''
    else if (token.startsWith('<')) bracketed = token.replace(/^<|>$/g, '')
    else name += token
  }
  end()
  return found
}

/** Comments nest, and are outside of quoted strings. */
function withoutComments(text: string): string {
  let depth = 0
  let kept = ''
  for (const [token] of text.matchAll(/\\.?|"(?:\\.|[^"\\])*"?|[()]|[^\\"()]+/gs)) {
    if (token === '(') depth += 1
    else if (token === ')' && depth > 0) depth -= 1
    else if (depth === 0) kept += token
  }
  return kept
}

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const LABEL = /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/**
 * The address for a relay: ASCII, at most 254 characters, with a host name as its domain. Undefined
 * for everything else: quoted local parts, address literals and non-ASCII before the `@`.
 */
export function envelopeAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  const domain = asciiDomain(text.slice(at + 1))
  if (at < 1 || domain === undefined || local.length > 64 || !LOCAL.test(local)) return undefined
  const address = `${local}@${domain}`
  return address.length > 254 ? undefined : address
}

function asciiDomain(text: string): string | undefined {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(text)) return undefined
  const ascii = /^[A-Za-z0-9.-]+$/.test(text) ? text : converted(text)
  return ascii?.split('.').every((label) => LABEL.test(label)) ? ascii : undefined
}

function converted(text: string): string | undefined {
  return URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`).hostname : undefined
}
