import { createHash, sign } from 'node:crypto'
import type { ClientRequest, IncomingHttpHeaders } from 'node:http'
import { Agent, type AgentOptions, request } from 'node:https'
import type { NotConnected } from '#dashboard/kernel/agents/agent-errors.ts'
import {
  type AgentAddress,
  type AgentRequest,
  contentLength,
  type Transport,
} from '#dashboard/kernel/agents/transport.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { offline } from '#shared/kernel/errors.ts'
import {
  CHALLENGE_HEADER,
  decodeChallenge,
  TOKEN_SCHEME,
  TOKEN_SECONDS,
  TOKEN_TYPE,
  type TokenClaims,
} from '#shared/kernel/token.ts'
import { type AddressRules, checkedLookup, checkLiteral } from './addresses.ts'
import type { AgentRow } from './queries.ts'
import type { SigningKey } from './signing-key.ts'

export interface SignedCall {
  audience: string
  boot: string
  method: string
  path: string
  body: string
  operation_id?: string
  /** The time in seconds since 1970. */
  now: number
  /** The id of 128 random bits, base64url, which is never used twice. */
  id: string
}

/** Returns the Authorization header for 30 seconds, this agent and this body, once. */
export function signRequest(key: SigningKey, call: SignedCall): string {
  const claims: TokenClaims = {
    iss: key.kid,
    aud: call.audience,
    iat: call.now,
    exp: call.now + TOKEN_SECONDS,
    jti: call.id,
    htm: call.method,
    htu: call.path,
    bh: createHash('sha256').update(call.body).digest('base64url'),
    boot: call.boot,
    ...(call.operation_id ? { op: call.operation_id } : {}),
  }
  const header = { alg: 'EdDSA', kid: key.kid, typ: TOKEN_TYPE }
  const text = `${part(header)}.${part(claims)}`
  const signature = sign(null, Buffer.from(text), key.private_key).toString('base64url')
  return `${TOKEN_SCHEME} ${text}.${signature}`
}

/** Returns the SHA-256 of an agent's public key, base64url: the audience of a token. */
export function audienceOf(public_key: string): string {
  return createHash('sha256').update(public_key).digest('base64url')
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

export interface PinnedDeps extends Pick<CommonDeps, 'clock' | 'random'> {
  key: SigningKey
  rules: AddressRules
  /** Returns what an agent with another certificate is. */
  explain?(to: AgentAddress, error: NotConnected): Promise<Error>
}

/** The initial nonce: the agent refuses it and returns its own. */
const UNKNOWN_BOOT = 'A'.repeat(22)

/** The transport to one enrolled agent: TLS 1.3 to its pinned certificate, each request signed. */
export class PinnedTransport implements Transport {
  readonly speaks = 'tls'
  readonly certificate: string
  readonly #deps: PinnedDeps
  readonly #to: AgentAddress
  readonly #audience: string
  readonly #agent: Agent
  readonly #fresh: Agent
  #key: SigningKey
  #until: string | null = null
  #boot = UNKNOWN_BOOT
  readonly #signed = new WeakMap<ClientRequest, string>()

  constructor(
    deps: PinnedDeps,
    to: AgentAddress,
    known: Pick<AgentRow, 'certificate' | 'public_key'>,
  ) {
    this.certificate = known.certificate
    this.#deps = deps
    this.#to = to
    this.#key = deps.key
    this.#audience = audienceOf(known.public_key)
    const options = pinned(known.certificate, deps.rules)
    this.#agent = new Agent({ ...options, keepAlive: true, maxFreeSockets: 2 })
    this.#fresh = new Agent(options)
  }

  open(call: AgentRequest, fresh = false) {
    checkLiteral(this.#to.hostname, this.#deps.rules)
    const { method, path, headers, body } = call
    this.#checkAge(path)
    const authorization = this.#sign(call)
    const sent = request({
      host: this.#to.hostname,
      port: this.#to.port,
      method,
      path,
      headers: { ...headers, authorization, ...contentLength(method, body) },
      agent: fresh ? this.#fresh : this.#agent,
    }).end(body)
    this.#signed.set(sent, this.#boot)
    return sent
  }

  /** Signs with the newest key that the agent knows, until its expiry. */
  signingWith(key: SigningKey, until: string | null): this {
    this.#key = key
    this.#until = until
    return this
  }

  /** Takes the nonce of a refusal, unless another request has got it meanwhile. */
  learn(headers: IncomingHttpHeaders, refused: ClientRequest): boolean {
    const challenge = decodeChallenge(String(headers[CHALLENGE_HEADER] ?? ''))
    if (!challenge) return false
    const ahead = challenge.date - this.#now()
    if (Math.abs(ahead) > TOKEN_SECONDS) {
      const way = ahead > 0 ? 'ahead of' : 'behind'
      throw offline(`The clock of the server is ${Math.abs(ahead)} seconds ${way} this one: set it`)
    }
    this.#boot = challenge.boot
    return challenge.boot !== this.#signed.get(refused)
  }

  async explain(error: NotConnected): Promise<Error> {
    return (await this.#deps.explain?.(this.#to, error)) ?? error
  }

  leadsTo({ hostname, port }: AgentAddress): boolean {
    return hostname === this.#to.hostname && port === this.#to.port
  }

  close(): void {
    this.#agent.destroy()
    this.#fresh.destroy()
  }

  /** Throws for an expired key, which only delivers its successor. */
  #checkAge(path: string): void {
    if (this.#until === null || path === '/keys') return
    if (this.#until > timestamp(this.#deps.clock)) return
    throw offline('The agent does not know the new key yet: it gets the key with the next sync')
  }

  #sign({ method, path, headers, body }: AgentRequest): string {
    const operation_id = headers[OPERATION_HEADER]
    return signRequest(this.#key, {
      audience: this.#audience,
      boot: this.#boot,
      method,
      path,
      body,
      now: this.#now(),
      id: randomText(this.#deps.random, 16),
      ...(operation_id ? { operation_id } : {}),
    })
  }

  #now(): number {
    return Math.floor(this.#deps.clock.now().getTime() / 1000)
  }
}

/** Trusts the certificate itself as the only authority; its name says nothing. */
function pinned(certificate: string, rules: AddressRules): AgentOptions {
  return {
    minVersion: 'TLSv1.3',
    ca: certificate,
    checkServerIdentity: () => undefined,
    lookup: checkedLookup(rules) as NonNullable<AgentOptions['lookup']>,
  }
}
