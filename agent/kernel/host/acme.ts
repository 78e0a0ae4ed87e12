import type { IncomingHttpHeaders } from 'node:http'
import { Agent, get } from 'node:https'
import { rootCertificates } from 'node:tls'
import type { Client as AcmeClient, Authorization } from 'acme-client'
import { z } from 'zod'
import { messageOf } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type {
  AcmeLimit,
  AcmeOrder,
  AcmeOutcome,
  AcmePort,
  RenewalRequest,
  RenewalWindow,
} from './acme-port.ts'
import { NothingChanged, setRecord } from './cloudflare.ts'
import { withTimeout } from './with-timeout.ts'

const Info = z.object({
  suggestedWindow: z.object({
    start: z.iso.datetime({ offset: true }),
    end: z.iso.datetime({ offset: true }),
  }),
})

/** The time limit of all requests together. */
const MAX_MS = 120_000
const HOUR_S = 3600
const DEFAULT_WAIT_S = 6 * HOUR_S

/**
 * Returns the times that the authority suggests (RFC 9773); undefined when it suggests none. After
 * a request that fails, the answers so far are returned, and the other certificates are not asked
 * for.
 */
export async function renewals(
  { directory, extra_roots, certificates }: RenewalRequest,
  longest_ms = MAX_MS,
): Promise<(RenewalWindow | null)[] | undefined> {
  const end = performance.now() + longest_ms
  const late = () => new Error(`the certificate authority took ${longest_ms / 1000} seconds`)
  const timely = <T>(work: Promise<T>) => withTimeout(end - performance.now(), work, late)
  const agent = agentFor(extra_roots)
  const { renewalInfo } = await timely(readDirectory(directory, agent))
  if (renewalInfo === undefined) return undefined
  const windows: (RenewalWindow | null)[] = []
  try {
    for (const pem of certificates) windows.push(await timely(windowOf(renewalInfo, agent, pem)))
  } catch {
    // An authority that is down fails for each of them, and each takes its time.
  }
  return certificates.map((_, at) => windows[at] ?? null)
}

async function windowOf(base: string, agent: Agent, pem: string): Promise<RenewalWindow | null> {
  const id = await certificateId(pem).catch(() => undefined)
  if (id === undefined) return null
  const { status, headers, text } = await read(`${base.replace(/\/$/, '')}/${id}`, agent)
  const info = status === 200 ? parseJson(Info, text) : undefined
  if (!info) return null
  const { start, end } = info.suggestedWindow
  if (Date.parse(start) > Date.parse(end)) return null
  return { start: utc(start), end: utc(end), retry_after_s: waitIn(headers['retry-after']) }
}

const utc = (text: string) => new Date(text).toISOString()

/** Returns a wait between one hour and one day, so that neither floods nor forgets the other. */
function waitIn(header: string | undefined): number {
  const seconds = Number(header)
  if (header === undefined || Number.isNaN(seconds)) return DEFAULT_WAIT_S
  return Math.min(Math.max(seconds, HOUR_S), 24 * HOUR_S)
}

/**
 * Returns the identifier of a certificate in RFC 9773 section 4.1: its authority's key and its
 * serial number; undefined when the certificate names no key.
 */
export async function certificateId(pem: string): Promise<string | undefined> {
  await import('reflect-metadata')
  const { AuthorityKeyIdentifierExtension, X509Certificate } = await import('@peculiar/x509')
  const certificate = new X509Certificate(pem)
  const authority = certificate.getExtension(AuthorityKeyIdentifierExtension)
  if (authority?.keyId === undefined) return undefined
  const { serialNumber } = certificate
  // The library omits the zero of DER before a first byte that looks negative.
  const serial = Number.parseInt(serialNumber.slice(0, 2), 16) < 0x80 ? '' : '00'
  return [authority.keyId, serial + serialNumber]
    .map((hex) => Buffer.from(hex, 'hex').toString('base64url'))
    .join('.')
}

type NewOrder = Parameters<AcmeClient['createOrder']>[0]
type NameRefusal = { name: string; reason: string }

/** Orders by http-01, and by dns-01 for wildcards, with acme-client. */
export const acme: AcmePort = {
  order: (order) =>
    withTimeout(order.timeout_ms, withLimitOutcome(perform(order)), () => {
      const limit = `${order.timeout_ms / 1000} seconds`
      return new Error(`the certificate authority did not finish within ${limit}`)
    }),
  renewals,
  record: (record) =>
    setRecord(record).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof NothingChanged) return error.message
        throw error
      },
    ),
}

/** Returns the outcome of an order that met a limit of the authority, or did not reach it. */
const withLimitOutcome = (ordered: Promise<AcmeOutcome>): Promise<AcmeOutcome> =>
  ordered.catch((error: unknown) => {
    if (error instanceof AuthorityLimit) return { limited: error.limit }
    if (error instanceof Unreachable) return { unreachable: error.message }
    throw error
  })

async function perform(order: AcmeOrder): Promise<AcmeOutcome> {
  // Loaded for an order only: the library takes 39 MB of memory.
  const { axios, Client, crypto } = await import('acme-client')
  const { directory, account_key, email, names } = order
  const agent = agentFor(order.extra_roots)
  const { renewalInfo } = await readDirectory(directory, agent)
  axios.defaults.httpsAgent = agent
  axios.defaults.timeout = 30_000
  refuseLimits(axios)
  // The types of the library omit this setting: by default it tries for 75 seconds.
  Object.assign(axios.defaults, { acmeSettings: { retryMaxAttempts: 2, retryDefaultDelay: 3 } })
  const client = new Client({
    directoryUrl: directory,
    accountKey: account_key,
    // About 80 seconds: a name whose validation takes longer counts as refused.
    backoffAttempts: 30,
    backoffMin: 250,
    backoffMax: 3000,
  })
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${email}`] })
  const identifiers = names.map((value) => ({ type: 'dns', value }))
  const replaces = renewalInfo && order.replaces && (await certificateId(order.replaces))
  const open = await (replaces
    ? // The authority refuses a certificate already replaced: an order without it is as good.
      client.createOrder(orderFollowing(identifiers, replaces)).catch((error: unknown) => {
        if (error instanceof AuthorityLimit) throw error
        return client.createOrder({ identifiers })
      })
    : client.createOrder({ identifiers }))
  const authorizations = await client.getAuthorizations(open)
  const refused = (
    await Promise.all(authorizations.map((authorization) => validate(client, authorization, order)))
  ).filter((refusal) => refusal !== undefined)
  if (refused.length > 0) return { refused }
  const [, request] = await crypto.createCsr({ altNames: [...names] }, order.private_key)
  return { chain: await client.getCertificate(await client.finalizeOrder(open, request)) }
}

/** Adds the field of RFC 9773, which the types of the library omit. */
const orderFollowing = (identifiers: NewOrder['identifiers'], replaces: string) =>
  ({ identifiers, replaces }) as NewOrder

async function validate(
  client: AcmeClient,
  { identifier, wildcard = false, ...authorization }: Authorization,
  { present, publish }: AcmeOrder,
): Promise<NameRefusal | undefined> {
  const name = wildcard ? `*.${identifier.value}` : identifier.value
  if (authorization.status === 'valid') return undefined
  const challengeType = wildcard ? 'dns-01' : 'http-01'
  const challenge = authorization.challenges.find(({ type }) => type === challengeType)
  if (!challenge) return { name, reason: `the authority offers no ${challengeType} challenge` }
  const answer = await client.getChallengeKeyAuthorization(challenge)
  if (!wildcard) await present(challenge.token, answer)
  const problem = wildcard && (await publish(`_acme-challenge.${identifier.value}`, answer))
  if (problem) return { name, reason: problem }
  try {
    await client.completeChallenge(challenge)
    await client.waitForValidStatus(challenge)
    return undefined
  } catch (error) {
    if (error instanceof AuthorityLimit) throw error
    return { name, reason: messageOf(error) }
  }
}

type Axios = typeof import('acme-client').axios
type Transform = NonNullable<Extract<Axios['defaults']['transformResponse'], unknown[]>>[number]

/** The longest Retry-After in seconds that the client itself waits for. */
const SHORT_S = 10
const DAY_S = 86_400
const MAX_REASON = 300

/** Thrown when the authority accepts no request for longer than an order waits. */
class AuthorityLimit extends Error {
  readonly limit: AcmeLimit

  constructor(limit: AcmeLimit) {
    super(limit.reason)
    this.limit = limit
  }
}

/**
 * Ends an order at a limit of the authority: the library would wait within the order for as long as
 * the authority says, which is hours. It passes on an error of the transformation of an answer.
 */
function refuseLimits(axios: Axios): void {
  const { transformResponse = [] } = axios.defaults
  const former = Array.isArray(transformResponse) ? transformResponse : [transformResponse]
  if (former.includes(refuseLimit)) return
  axios.defaults.transformResponse = [...former, refuseLimit]
}

/** Runs after the other transformations: `data` is parsed if it is JSON. */
const refuseLimit: Transform = (data: unknown, headers, status) => {
  if (status !== 429 && status !== 503) return data
  const retry_after_s = secondsIn(String(headers?.['retry-after'] ?? ''))
  if (status === 503 && retry_after_s <= SHORT_S) return data
  if (retry_after_s > 0 && retry_after_s <= SHORT_S) return data
  throw new AuthorityLimit({ reason: reasonIn(data, status), retry_after_s })
}

/** Parses a number or a date (RFC 9110 section 10.2.3); a day at most, 0 without one. */
function secondsIn(header: string): number {
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(Math.ceil(seconds), 0), DAY_S)
}

function reasonIn(data: unknown, status: number): string {
  const detail = data && typeof data === 'object' && 'detail' in data ? String(data.detail) : ''
  const said = detail.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON) || `status ${status}`
  return status === 429
    ? `the authority limits requests: ${said}`
    : `the authority accepts no requests at present: ${said}`
}

const TIMEOUT_MS = 15_000
const MAX_BYTES = 64 << 10

const Directory = z.object({ renewalInfo: z.url({ protocol: /^https$/ }).optional() })

/** Thrown when the directory cannot be read: the connection failed, or it is out of service. */
class Unreachable extends Error {}

/** Reads the part of the directory that acme-client does not use. Throws Unreachable. */
async function readDirectory(url: string, agent: Agent): Promise<z.infer<typeof Directory>> {
  const { status, text } = await read(url, agent)
  if (status >= 500) throw new Unreachable(`${new URL(url).host} answers with status ${status}`)
  return parseJson(Directory, text) ?? {}
}

interface AcmeAnswer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Names the unreachable host and the reason in an error, which that of a library does not. */
function read(url: string, agent: Agent): Promise<AcmeAnswer> {
  return new Promise((resolve, reject) => {
    const unreachable = ({ message }: Error) =>
      reject(new Unreachable(`${new URL(url).host} cannot be reached: ${message}`))
    const request = get(url, { agent, timeout: TIMEOUT_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length <= MAX_BYTES) return
        // An answer in one piece still reports its end.
        unreachable(new Error('its answer is too long'))
        request.destroy()
      })
      const { statusCode: status = 0, headers } = response
      response.on('end', () => resolve({ status, headers, text }))
    })
    request.on('timeout', () => request.destroy(new Error('no answer in 15 seconds')))
    request.on('error', unreachable)
  })
}

function agentFor(extra: string | undefined): Agent {
  return new Agent({ keepAlive: false, ...(extra ? { ca: [...rootCertificates, extra] } : {}) })
}
