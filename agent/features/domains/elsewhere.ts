import type { Host, Resolved } from '#agent/kernel/host/ports.ts'
import { isBehindNat, isIpv6, isOfCdn, mayBeAsked } from '#agent/kernel/host/record-addresses.ts'
import type { Visited } from '#agent/kernel/host/visit-port.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

const AT_ONCE = 32
const VISIT_MS = 5000
const MAX_MS = 60_000
/** Of one name, and of one family. */
const MAX_RECORDS = 4
const REDIRECTS = [301, 302, 303, 307, 308]
/** What an authority would not take for the token, whatever state the other server is in. */
const WRONG = [200, 404, 410]

interface Ask {
  name: string
  address: string
  tls: boolean
}

type Answered = [Ask, Visited]

interface Token {
  path: string
  text: string
}

interface Asked extends Token {
  /** Of the site: without it there is no certificate. */
  primary: string
}

/**
 * Requests a token of this server at the addresses in DNS, as an authority does, and returns the
 * reason for each name that leads to another server. An address that does not answer decides nothing:
 * it may not be reachable from here. Neither does a wrong answer through the NAT in front of this
 * server, unless that has led another request back to this server, other than through a CDN; and
 * it never decides about the primary domain, since not every CDN is known.
 */
export async function namesElsewhere(
  host: Host,
  { primary, ...token }: Asked,
  records: ReadonlyMap<string, Resolved>,
): Promise<Map<string, string>> {
  const answered = await visitAll(host, token, asksFor(host, records))
  const isToken = ({ body }: { body: string }) => body.trim() === token.text
  const hasHairpin = answered.some(
    ([{ address }, visited]) =>
      'status' in visited &&
      isToken(visited) &&
      isBehindNat(visited.from, address) &&
      !isOfCdn(address),
  )
  const reasons = new Map<string, string>()
  for (const name of records.keys()) {
    for (const [{ address }, visited] of countedOf(answered, name)) {
      if (!('status' in visited) || isToken(visited) || !WRONG.includes(visited.status)) continue
      if (isBehindNat(visited.from, address) && (!hasHairpin || name === primary)) continue
      reasons.set(
        name,
        `its DNS record leads to ${address}, which answers ${visited.status} instead of the token of this server`,
      )
    }
  }
  return reasons
}

function asksFor({ settings }: Host, records: ReadonlyMap<string, Resolved>): Ask[] {
  const isPrivateToo = settings.acme_ca_file !== undefined
  return [...records].flatMap(([name, found]) => {
    const some = (found ?? []).filter((address) => mayBeAsked(address, isPrivateToo))
    const limited = [
      ...some.filter(isIpv6).slice(0, MAX_RECORDS),
      ...some.filter((address) => !isIpv6(address)).slice(0, MAX_RECORDS),
    ]
    return limited.map((address) => ({ name, address, tls: false }))
  })
}

/** An authority requests the IPv6 addresses, and the others only if those do not answer. */
function countedOf(answered: readonly Answered[], name: string): Answered[] {
  const own = answered.filter(([ask, visited]) => ask.name === name && 'status' in visited)
  const newer = own.filter(([{ address }]) => isIpv6(address))
  return newer.length > 0 ? newer : own
}

/** First one name at each address, since one that does not answer costs its time only once. */
async function visitAll(host: Host, token: Token, asks: readonly Ask[]): Promise<Answered[]> {
  const until = host.clock.elapsed() + MAX_MS
  const firsts = [...new Map(asks.map((ask) => [ask.address, ask])).values()]
  const first = await visitEach(host, token, firsts, until)
  const silent = first.flatMap(([{ address }, visited]) => ('failed' in visited ? [address] : []))
  const others = asks.filter((ask) => !firsts.includes(ask) && !silent.includes(ask.address))
  const all = [...first, ...(await visitEach(host, token, others, until))]
  const isSecure = isToHttps(token)
  const redirected = all.filter(isSecure)
  const rest = all.filter((one) => !isSecure(one))
  const secure = redirected.map(([ask]) => ({ ...ask, tls: true }))
  return [...rest, ...(await visitEach(host, token, secure, until))]
}

/** Other servers redirect everything to https; an authority follows, whatever the certificate. */
const isToHttps =
  ({ path }: Token) =>
  ([{ name }, visited]: Answered): boolean =>
    'status' in visited &&
    REDIRECTS.includes(visited.status) &&
    visited.headers.location === `https://${name}${path}`

async function visitEach(
  host: Host,
  { path }: Token,
  asks: readonly Ask[],
  until: number,
): Promise<Answered[]> {
  const answered: Answered[] = []
  for (let at = 0; at < asks.length && host.clock.elapsed() < until; at += AT_ONCE) {
    const some = asks.slice(at, at + AT_ONCE)
    const visits = some.map(({ name, address, tls }) => ({
      ...{ host: name, path, tls, address },
      timeout_ms: VISIT_MS,
      is_elsewhere: true,
    }))
    const visited = await host.visitor.visit(visits).catch(undecided)
    for (const [index, ask] of some.entries()) {
      const one = visited[index]
      if (one) answered.push([ask, one])
    }
  }
  return answered
}

/** The authority decides without it; errors that end the operation are passed on. */
function undecided(error: unknown): Visited[] {
  if (error instanceof ServiceError) throw error
  return []
}
