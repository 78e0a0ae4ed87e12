import { ACME_ROOT } from '#agent/features/web/base.ts'
import type { Host, ResolvedAddresses } from '#agent/kernel/host/ports.ts'
import {
  isBehindNat,
  isIpv6,
  isOfCdn,
  mayBeContacted,
} from '#agent/kernel/host/record-addresses.ts'
import type { VisitResult } from '#agent/kernel/host/visit-port.ts'
import { ServiceError } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { recordsProblem } from './dns-records.ts'
import { namesAtLimit } from './failed-validations.ts'

const CHALLENGES = '/.well-known/acme-challenge'

/** A name that is not in a certificate, and the reason. */
export interface LeftOutName {
  name: string
  reason: string
}

export interface ProbeResult {
  served: string[]
  left_out: LeftOutName[]
}

/**
 * Requests a random token under each name, looks up its records, and then requests the token where
 * they lead: authorities limit failed validations. The first name is the primary domain.
 */
export async function probeNames(host: Host, names: readonly string[]): Promise<ProbeResult> {
  const token = host.random.text(32)
  const path = await publishToken(host, token, token)
  try {
    const records = await host.net.resolve(names)
    const all = new Map(names.map((name, at) => [name, records[at] ?? null]))
    const found = new Map([...all].filter(([name]) => !isWildcard(name)))
    const reasons = await localReasons(host, token, names)
    const here = new Map([...found].filter(([name]) => !reasons.has(name)))
    const asked = { path: `${CHALLENGES}/${token}`, text: token, primary: names[0] ?? '' }
    const doubted = new Map([
      ...namesWithoutRecords(found),
      ...(await namesOnOtherServers(host, asked, here)),
    ])
    for (const [name, reason] of await confirmedReasons(host, found, doubted))
      reasons.set(name, reason)
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

/** Returns why names can only fail, as far as this server itself knows. */
async function localReasons(
  host: Host,
  token: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const spent = await namesAtLimit(host, names)
  const reasons = new Map<string, string>()
  for (const name of names) {
    const limit = limitOf(spent.get(name))
    const reason = limit ?? (await reasonOf(host, name, token))
    if (reason !== undefined) reasons.set(name, reason)
  }
  return reasons
}

/** Removes the file of a token; a failure is repeated at the next start of the agent. */
export const withdrawToken = (host: Host, path: string): Promise<void> =>
  host.files.remove(path).catch(() => undefined)

/** Removes, at the start of the agent, the tokens of interrupted orders. */
export async function withdrawAllTokens(host: Host): Promise<void> {
  const folder = `${ACME_ROOT}${CHALLENGES}`
  for (const { name } of await host.files.list(folder))
    await withdrawToken(host, `${folder}/${name}`)
}

/** Writes a token where nginx serves it for every site; returns its path. */
export async function publishToken(host: Host, token: string, text: string): Promise<string> {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(token)) throw new Error('The authority sent a bad token')
  const path = `${ACME_ROOT}${CHALLENGES}/${token}`
  await host.files.write(path, text)
  return path
}

const limitOf = (until: number | undefined) =>
  until === undefined
    ? undefined
    : `the authority refused it four times within an hour, and is asked again after ${new Date(until).toISOString()}`

/** Checks a wildcard by its TXT record: visitors may have records of single names. */
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

/** Returns names without a record. When a name server does not answer, the authority decides. */
const namesWithoutRecords = (
  found: ReadonlyMap<string, ResolvedAddresses>,
): [name: string, reason: string][] =>
  [...found]
    .filter(([, records]) => records?.length === 0)
    .map(([name]) => [name, 'it has no A and no AAAA record in DNS'])

/** Describes the names without a certificate in one sentence; undefined without any. */
export function describeLeftOut(left_out: readonly LeftOutName[]): string | undefined {
  if (left_out.length === 0) return undefined
  const names = left_out.map(({ name, reason }) => `${name} (${reason})`)
  return `The certificate leaves out ${names.join(', ')}`
}

/**
 * Returns the reasons whose records are the same at the name servers of the zones: a resolver may
 * have cached former ones, and an authority asks past caches. The authority decides where those
 * servers cannot be asked. An authority in the own network has the resolver of that network.
 */
async function confirmedReasons(
  { net, settings }: Host,
  records: ReadonlyMap<string, ResolvedAddresses>,
  reasons: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  if (reasons.size === 0 || settings.acme_ca_file !== undefined) return reasons
  const names = [...reasons.keys()]
  const fresh = await net.resolve(names, { fresh: true }).catch(noneKnown)
  const isSame = (name: string, at: number) => {
    const [kept, found] = [records.get(name), fresh[at]]
    return (
      kept != null && found != null && new Set(kept).symmetricDifference(new Set(found)).size === 0
    )
  }
  const same = names.filter(isSame)
  return new Map([...reasons].filter(([name]) => same.includes(name)))
}

/** Leaves the decision to the authority; passes on errors that end the operation. */
function noneKnown(error: unknown): never[] {
  if (error instanceof ServiceError) throw error
  return []
}

const MAX_CONCURRENT = 32
const VISIT_MS = 5000
const MAX_MS = 60_000
/** The maximum number of requested addresses of one name and one family. */
const MAX_RECORDS = 4
const REDIRECTS = [301, 302, 303, 307, 308]
/** The statuses that an authority never takes for the token, in whatever state it is. */
const WRONG_STATUSES = [200, 404, 410]

interface AddressRequest {
  name: string
  address: string
  tls: boolean
}

type AddressAnswer = [AddressRequest, VisitResult]

interface TokenFile {
  path: string
  text: string
}

interface TokenOfSite extends TokenFile {
  /** The domain of the site, without which there is no certificate. */
  primary: string
}

/**
 * Requests a token of this server at the addresses in DNS, as an authority does, and returns the
 * reason for each name that leads to another server. An address that does not answer decides
 * nothing: it may not be reachable from here. Neither does a wrong answer through the NAT in front
 * of this server, unless that has led another request, other than through a CDN, back to this
 * server; it never decides about the primary domain, since not every CDN is known.
 */
export async function namesOnOtherServers(
  host: Host,
  { primary, ...token }: TokenOfSite,
  records: ReadonlyMap<string, ResolvedAddresses>,
): Promise<Map<string, string>> {
  const answered = await visitAll(host, token, requestsFor(host, records))
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
    for (const [{ address }, visited] of decisiveAnswers(answered, name)) {
      if (!('status' in visited) || isToken(visited) || !WRONG_STATUSES.includes(visited.status))
        continue
      if (isBehindNat(visited.from, address) && (!hasHairpin || name === primary)) continue
      reasons.set(
        name,
        `its DNS record leads to ${address}, which answers ${visited.status} instead of the token of this server`,
      )
    }
  }
  return reasons
}

function requestsFor(
  { settings }: Host,
  records: ReadonlyMap<string, ResolvedAddresses>,
): AddressRequest[] {
  const isPrivateToo = settings.acme_ca_file !== undefined
  return [...records].flatMap(([name, found]) => {
    const some = (found ?? []).filter((address) => mayBeContacted(address, isPrivateToo))
    const limited = [
      ...some.filter(isIpv6).slice(0, MAX_RECORDS),
      ...some.filter((address) => !isIpv6(address)).slice(0, MAX_RECORDS),
    ]
    return limited.map((address) => ({ name, address, tls: false }))
  })
}

/** Returns the IPv6 answers, or the others if those do not answer, as an authority does. */
function decisiveAnswers(answered: readonly AddressAnswer[], name: string): AddressAnswer[] {
  const own = answered.filter(([ask, visited]) => ask.name === name && 'status' in visited)
  const newer = own.filter(([{ address }]) => isIpv6(address))
  return newer.length > 0 ? newer : own
}

/** Requests one name at each address first: one that does not answer costs its time once. */
async function visitAll(
  host: Host,
  token: TokenFile,
  asks: readonly AddressRequest[],
): Promise<AddressAnswer[]> {
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

/** Returns whether the answer redirects to https; an authority ignores its certificate. */
const isToHttps =
  ({ path }: TokenFile) =>
  ([{ name }, visited]: AddressAnswer): boolean =>
    'status' in visited &&
    REDIRECTS.includes(visited.status) &&
    visited.headers.location === `https://${name}${path}`

async function visitEach(
  host: Host,
  { path }: TokenFile,
  asks: readonly AddressRequest[],
  until: number,
): Promise<AddressAnswer[]> {
  const answered: AddressAnswer[] = []
  for (let at = 0; at < asks.length && host.clock.elapsed() < until; at += MAX_CONCURRENT) {
    const some = asks.slice(at, at + MAX_CONCURRENT)
    const visits = some.map(({ name, address, tls }) => ({
      host: name,
      path,
      tls,
      address,
      timeout_ms: VISIT_MS,
      is_elsewhere: true,
    }))
    const visited = await host.visitor.visit(visits).catch(noneKnown)
    for (const [index, ask] of some.entries()) {
      const one = visited[index]
      if (one) answered.push([ask, one])
    }
  }
  return answered
}
