import { ACME_ROOT } from '#agent/features/web/base.ts'
import type { Host, Resolved } from '#agent/kernel/host/ports.ts'
import { isBehindNat, isIpv6, isOfCdn, mayBeAsked } from '#agent/kernel/host/record-addresses.ts'
import type { Visited } from '#agent/kernel/host/visit-port.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { recordsProblem } from './dns-records.ts'
import { spentNames } from './ledger.ts'

const CHALLENGES = '/.well-known/acme-challenge'

/** Why a name is not in a certificate. */
export interface LeftOut {
  name: string
  reason: string
}

export interface Probed {
  served: string[]
  left_out: LeftOut[]
}

/**
 * Requests a random token under each name, looks up its records, and then requests the token where
 * they lead: authorities limit failed validations, also of names that can only fail. The first name
 * is the primary domain.
 */
export async function probeNames(host: Host, names: readonly string[]): Promise<Probed> {
  const token = host.random.text(32)
  const path = await present(host, token, token)
  try {
    const records = await host.net.resolve(names)
    const all = new Map(names.map((name, at) => [name, records[at] ?? null]))
    const found = new Map([...all].filter(([name]) => !isWildcard(name)))
    const reasons = await reasonsOf(host, token, names)
    const here = new Map([...found].filter(([name]) => !reasons.has(name)))
    const asked = { path: `${CHALLENGES}/${token}`, text: token, primary: names[0] ?? '' }
    const doubted = new Map([...unrecorded(found), ...(await namesElsewhere(host, asked, here))])
    for (const [name, reason] of await confirmed(host, found, doubted)) reasons.set(name, reason)
    return {
      served: names.filter((name) => !reasons.has(name)),
      left_out: names.flatMap((name) => {
        const reason = reasons.get(name)
        return reason === undefined ? [] : [{ name, reason }]
      }),
    }
  } finally {
    await withdrawToken(host, path)
  }
}

/** Why names can only fail, as far as this server itself knows. */
async function reasonsOf(
  host: Host,
  token: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const spent = await spentNames(host, names)
  const reasons = new Map<string, string>()
  for (const name of names) {
    const limit = limitOf(spent.get(name))
    const reason = limit ?? (await reasonOf(host, name, token))
    if (reason !== undefined) reasons.set(name, reason)
  }
  return reasons
}

/** One that stays is removed at the next start of the agent. */
export const withdrawToken = (host: Host, path: string): Promise<void> =>
  host.files.remove(path).catch(() => undefined)

/** At the start of the agent: those of orders that were cut off. */
export async function withdrawAllTokens(host: Host): Promise<void> {
  const folder = `${ACME_ROOT}${CHALLENGES}`
  for (const { name } of await host.files.list(folder))
    await withdrawToken(host, `${folder}/${name}`)
}

/** Writes a token where nginx serves it for every site; returns its path. */
export async function present(host: Host, token: string, text: string): Promise<string> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(token)) throw new Error('The authority sent a bad token')
  const path = `${ACME_ROOT}${CHALLENGES}/${token}`
  await host.files.write(path, text)
  return path
}

const limitOf = (until: number | undefined) =>
  until === undefined
    ? undefined
    : `the authority refused it four times within an hour, and is asked again after ${new Date(until).toISOString()}`

/** A wildcard is validated by its TXT record: visitors may have records of single names. */
const reasonOf = (host: Host, name: string, token: string): Promise<string | undefined> =>
  isWildcard(name) ? recordsProblem(host) : problemOf(host, name, token)

async function problemOf(host: Host, name: string, token: string): Promise<string | undefined> {
  try {
    const answer = await host.net.probe({ host: name, path: `${CHALLENGES}/${token}` })
    if (answer.status !== 200 || answer.body !== token)
      return `this server answers ${answer.status} instead of the token that the authority would request`
  } catch (error) {
    return `this server does not answer: ${error instanceof Error ? error.message : String(error)}`
  }
  return undefined
}

/** Without an answer of a name server, the authority decides. */
const unrecorded = (found: ReadonlyMap<string, Resolved>): [name: string, reason: string][] =>
  [...found]
    .filter(([, records]) => records?.length === 0)
    .map(([name]) => [name, 'it has no A and no AAAA record in DNS'])

/** The names without a certificate in one sentence; undefined without any. */
export function describe(left_out: readonly LeftOut[]): string | undefined {
  if (left_out.length === 0) return undefined
  const names = left_out.map(({ name, reason }) => `${name} (${reason})`)
  return `The certificate leaves out ${names.join(', ')}`
}

/**
 * Of the reasons that DNS records gave, those whose records are the same at the name servers of the
 * zones: a resolver may have kept former ones, and an authority asks past such caches. It also decides
 * where those cannot be asked. An authority in the own network has the resolver of that network.
 */
async function confirmed(
  { net, settings }: Host,
  records: ReadonlyMap<string, Resolved>,
  reasons: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  if (reasons.size === 0 || settings.acme_ca_file !== undefined) return reasons
  const names = [...reasons.keys()]
  const fresh = await net.resolve(names, { fresh: true }).catch(unknown)
  const isSame = (name: string, at: number) => {
    const [kept, found] = [records.get(name), fresh[at]]
    return (
      kept != null && found != null && new Set(kept).symmetricDifference(new Set(found)).size === 0
    )
  }
  const same = names.filter(isSame)
  return new Map([...reasons].filter(([name]) => same.includes(name)))
}

/** Errors that end the operation are passed on. */
function unknown(error: unknown): Resolved[] {
  if (error instanceof ServiceError) throw error
  return []
}

const AT_ONCE = 32
const VISIT_MS = 5000
const MAX_MS = 60_000
/** The maximum number of addresses of one name and one family that are asked. */
const MAX_RECORDS = 4
const REDIRECTS = [301, 302, 303, 307, 308]
/**
 * The statuses of answers that an authority would not take for the token, whatever state the other
 * server is in.
 */
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
  /** The domain of the site, without which there is no certificate. */
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
