import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { cdnOf } from '#dashboard/features/domains/networks.ts'
import { leadingTo } from '#dashboard/features/domains/states.ts'
import { addressesOf } from '#dashboard/kernel/targets/addresses.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import { isAllowed } from '#dashboard/kernel/trust/addresses.ts'
import { connectionProblem } from '#dashboard/kernel/trust/probe-connection.ts'
import type { HealthVerdict, PageAnswer } from '#shared/health/page-verdict.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { type VisitFailure, type VisitResult, verdictOf } from './verdict.ts'

/** A site, and the server that it is on. */
export interface VisitedSite {
  domain: string
  tls: boolean
  hostname: string
}

interface VisitDeps {
  rules: AddressRules
  random: () => string
  ports?: { http: number; https: number }
  timeout_ms?: number
}

const PORTS = { http: 80, https: 443 }
const TIMEOUT_MS = 10_000
const LOOKUP_MS = 3_000
const MAX_BODY = 32 << 10
const MAX_REDIRECTS = 3

/**
 * Requests the front page of a site as a visitor does: at the address of its name, as long as that
 * is one of its server or of a content delivery network. No other address is ever connected to:
 * whoever decides about the DNS of a site does not decide where a dashboard sends requests. Where
 * the name leads elsewhere, and where a network in between answers with a failure, the server
 * itself is requested. Returns undefined when its server has no address that may be contacted, or
 * the signal has aborted.
 */
export async function visitSite(
  site: VisitedSite,
  { rules, random, ports = PORTS, timeout_ms = TIMEOUT_MS }: VisitDeps,
  signal: AbortSignal,
): Promise<HealthVerdict | undefined> {
  const [expected, records] = await Promise.all([
    addressesIn(site.hostname),
    addressesIn(site.domain),
  ])
  const own = expected.filter((address) => isAllowed(address, rules))
  const { dns, cdn } = leadingTo(records, expected)
  const at = (address: string) => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeout_ms)])
    const way = { address, ports, query: `?hosting-health=${random()}`, until }
    return visitAt(frontPageOf(site, way), way, { names: pairOf(site.domain) })
  }
  const direct = own.find((address) => records.includes(address)) ?? own[0]
  if (direct === undefined) return undefined
  const between = records.find((address) => cdnOf(address) && isAllowed(address, rules))
  const through = dns === 'cdn' && between !== undefined ? await at(between) : undefined
  const isEnough = through && verdictOf({ dns, cdn, through }).state === 'up'
  const straight = isEnough ? undefined : await at(direct)
  if (signal.aborted) return undefined
  return verdictOf({ dns, cdn, through, straight })
}

/** Returns the addresses of a name; none after some seconds, which delay no other site. */
const addressesIn = (hostname: string): Promise<string[]> =>
  Promise.race([addressesOf(hostname), Bun.sleep(LOOKUP_MS).then(() => [])])

interface RequestRoute {
  address: string
  ports: { http: number; https: number }
  query: string
  until: AbortSignal
}

const frontPageOf = ({ domain, tls }: VisitedSite, { query }: RequestRoute) =>
  new URL(`${tls ? 'https' : 'http'}://${domain}/${query}`)

/** Requests a page and follows redirects between these names; `seen` are the pages before. */
async function visitAt(
  url: URL,
  way: RequestRoute,
  { names, seen = [] }: { names: readonly string[]; seen?: readonly string[] },
): Promise<VisitResult> {
  const port = url.protocol === 'https:' ? way.ports.https : way.ports.http
  const answer = await requestPage(url, { ...way, port })
  if ('failed' in answer) return { failed: await failureCause(answer.failed, way, port), port }
  const next = redirectOf(answer, url)
  const pages = [...seen, bare(url)]
  if (next && isFollowed(next, names, pages)) return visitAt(next, way, { names, seen: pages })
  // The verdict takes a redirect to the page itself for a loop, and so is one to a page before.
  const isLoop = next !== undefined && pages.includes(bare(next))
  return { answer, url: (isLoop && answer.headers.location) || String(url), port }
}

const isFollowed = (to: URL, names: readonly string[], pages: readonly string[]): boolean =>
  to.port === '' &&
  names.includes(to.hostname) &&
  !pages.includes(bare(to)) &&
  pages.length <= MAX_REDIRECTS

const bare = ({ protocol, host, pathname }: URL) => `${protocol}//${host}${pathname}`

function redirectOf({ status, headers }: PageAnswer, from: URL): URL | undefined {
  const { location } = headers
  if (status < 300 || status >= 400 || location === undefined) return undefined
  const to = URL.canParse(location, from) ? new URL(location, from) : undefined
  return to && /^https?:$/.test(to.protocol) ? to : undefined
}

/** Finds the cause of a failed connection, which Bun always reports as refused. */
async function failureCause(
  failed: VisitFailure,
  { address }: RequestRoute,
  port: number,
): Promise<VisitFailure> {
  if (failed !== 'refused') return failed
  const problem = await connectionProblem(address, port)
  return problem === 'connection_refused' || problem === undefined ? 'refused' : 'unreachable'
}

type RequestResult = PageAnswer | { failed: VisitFailure }

/** Sends one GET with limits of time and size; the agent, not this, checks the certificate. */
function requestPage(
  url: URL,
  { address, port, until }: RequestRoute & { port: number },
): Promise<RequestResult> {
  const isTls = url.protocol === 'https:'
  const options = {
    host: address,
    port,
    path: `${url.pathname}${url.search}`,
    headers: {
      host: url.host,
      'user-agent': OUTSIDE_AGENT,
      'cache-control': 'no-cache',
      accept: 'text/html',
    },
    agent: false,
  } as const
  return new Promise((resolve) => {
    const request = isTls
      ? requestHttps({ ...options, servername: url.hostname, rejectUnauthorized: false })
      : requestHttp(options)
    const done = (found: RequestResult) => {
      until.removeEventListener('abort', late)
      resolve(found)
      request.destroy()
    }
    const late = () => done({ failed: 'timeout' })
    if (until.aborted) late()
    until.addEventListener('abort', late, { once: true })
    request.on('error', (error) => done({ failed: failureOf(error) }))
    request.on('response', (response) => readPage(response, done))
    request.end()
  })
}

function readPage(response: IncomingMessage, done: (found: RequestResult) => void): void {
  const pieces: Buffer[] = []
  let size = 0
  const end = () => {
    const body = Buffer.concat(pieces).toString('utf8').slice(0, MAX_BODY)
    done({ status: response.statusCode ?? 0, headers: headersOf(response), body })
  }
  response.on('data', (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (size >= MAX_BODY) end()
  })
  response.on('end', end)
  response.on('error', () => done({ failed: 'broken' }))
}

const HEADERS = ['location', 'retry-after', 'x-cache'] as const

function headersOf({ headers }: IncomingMessage): PageAnswer['headers'] {
  const found = HEADERS.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(
    found.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

const REFUSED = ['ECONNREFUSED', 'ConnectionRefused', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']

function failureOf(error: Error): VisitFailure {
  const code = 'code' in error ? String(error.code) : ''
  if (REFUSED.includes(code)) return 'refused'
  return /SSL|TLS|CERT|EPROTO/.test(code) ? 'tls' : 'broken'
}
