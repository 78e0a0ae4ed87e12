import {
  createHash,
  createHmac,
  randomBytes,
  sign,
  timingSafeEqual,
  X509Certificate,
} from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { reachCodeOf, unreachable } from '#dashboard/kernel/agents/agent-errors.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { ReachCode } from '#shared/servers/api/enrolment.ts'
import {
  EnrolmentAnswer,
  type EnrolmentConfirmation,
  type EnrolmentRequest,
  enrolmentConfirmationText,
  enrolmentProofText,
  enrolmentRequestText,
} from '#shared/servers/enrolment.ts'
import { type AddressRules, checkedLookup, checkLiteral } from './addresses.ts'
import type { SigningKey } from './signing-key.ts'

const TIMEOUT_MS = 5000
const MAX_ANSWER = 32 << 10
/** The connection of an agent that waits for its code is kept for the next question. */
const keepAliveAgent = new Agent({ keepAlive: true, maxFreeSockets: 1 })

export interface EnrolmentCandidate {
  server_id: number
  hostname: string
  port: number
  /** SHA-256 of the code: the key of the proof. */
  code_key: Buffer
}

/** `proved`: the agent has the code. `failed`: it has another. `away`: no answer. */
export type EnrolmentOutcome =
  | { outcome: 'proved'; certificate: string; public_key: string; nonce: string }
  | { outcome: 'failed'; reason: string }
  | { outcome: 'away'; reason: string; code?: ReachCode | undefined }

/**
 * Asks an agent for the proof that it has the code. This is the only connection to an agent with an
 * unknown certificate. The proof binds the certificate of this connection, so that a man in the
 * middle cannot create it.
 */
export async function enrol(
  key: SigningKey,
  candidate: EnrolmentCandidate,
  rules: AddressRules,
  timeout_ms = TIMEOUT_MS,
): Promise<EnrolmentOutcome> {
  const sent = signedRequest(key, candidate.server_id)
  const reply = await postOnce(candidate, sent, rules, timeout_ms).catch((error: unknown) =>
    unreachable(candidate, error),
  )
  if (reply instanceof Error)
    return { outcome: 'away', reason: reply.message, code: reachCodeOf(reply) }
  if (reply.status !== 200) {
    const code = reply.status === 403 ? 'waits_for_code' : undefined
    return { outcome: 'away', reason: refusalOf(candidate, reply.status), code }
  }
  const answer = parseJson(EnrolmentAnswer, reply.text)
  if (!answer || !isProved(key, candidate, sent, answer, reply.certificate)) {
    return { outcome: 'failed', reason: WRONG_PROOF }
  }
  const { certificate, public_key, nonce } = answer
  return { outcome: 'proved', certificate, public_key, nonce }
}

/**
 * Confirms to the agent that its answer with this nonce was accepted, so that the command on the
 * server ends. If it is lost, the agent treats the next ordinary request as confirmation, within 30
 * s.
 */
export async function confirm(
  { kid, private_key }: SigningKey,
  to: Pick<EnrolmentCandidate, 'server_id' | 'hostname' | 'port'>,
  nonce: string,
  rules: AddressRules,
  timeout_ms = TIMEOUT_MS,
): Promise<void> {
  const { server_id } = to
  const text = Buffer.from(enrolmentConfirmationText(server_id, nonce))
  const signature = sign(null, text, private_key).toString('base64url')
  await postOnce(to, { kid, server_id, confirms: nonce, signature }, rules, timeout_ms)
}

const WRONG_PROOF =
  'The server does not know the code: it was mistyped, or another machine intercepts the connection'

/** Describes the answer of an agent without this code, or of another program. */
function refusalOf({ hostname, port }: EnrolmentCandidate, status: number): string {
  if (status === 403) return 'The agent runs and waits for its code'
  if (status === 401) return 'The agent there used the command of another server or dashboard'
  return `The program that answers on ${hostname}:${port} is not an agent (status ${status})`
}

function signedRequest({ kid, private_key }: SigningKey, server_id: number): EnrolmentRequest {
  const nonce = randomBytes(16).toString('base64url')
  const text = Buffer.from(enrolmentRequestText(server_id, nonce))
  return { kid, server_id, nonce, signature: sign(null, text, private_key).toString('base64url') }
}

function isProved(
  key: SigningKey,
  { server_id, code_key }: EnrolmentCandidate,
  sent: EnrolmentRequest,
  answer: EnrolmentAnswer,
  presented: Buffer,
): boolean {
  const der = derOf(answer.certificate)
  if (!der?.equals(presented)) return false
  const text = enrolmentProofText({
    server_id,
    request_nonce: sent.nonce,
    answer_nonce: answer.nonce,
    certificate_sha256: createHash('sha256').update(presented).digest('base64url'),
    agent_key: answer.public_key,
    hub_key: key.public_key,
  })
  const expected = createHmac('sha256', code_key).update(text).digest()
  const given = Buffer.from(answer.mac, 'base64url')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function derOf(certificate: string): Buffer | undefined {
  try {
    return new X509Certificate(certificate).raw
  } catch {
    return undefined
  }
}

interface EnrolmentReply {
  status: number
  text: string
  certificate: Buffer
}

async function postOnce(
  to: Pick<EnrolmentCandidate, 'hostname' | 'port'>,
  sent: EnrolmentRequest | EnrolmentConfirmation,
  rules: AddressRules,
  timeout_ms: number,
  agent: Agent | false = keepAliveAgent,
): Promise<EnrolmentReply> {
  checkLiteral(to.hostname, rules)
  const body = JSON.stringify(sent)
  return new Promise((resolve, reject) => {
    const again = () => resolve(postOnce(to, sent, rules, timeout_ms, false))
    const message = request({
      host: to.hostname,
      port: to.port,
      method: 'POST',
      path: '/enrol',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      agent,
      lookup: checkedLookup(rules),
      minVersion: 'TLSv1.3',
      rejectUnauthorized: false,
    })
    const timer = setTimeout(() => message.destroy(timeoutReply()), timeout_ms)
    // A kept connection may just be closing.
    const isClosed = (error: Error) => message.reusedSocket && codeOf(error) !== TIMED_OUT
    message.on('error', (error) => (isClosed(error) ? again() : reject(error)))
    message.on('close', () => clearTimeout(timer))
    message.on('response', (response) => {
      const { raw } = (response.socket as TLSSocket).getPeerCertificate(true)
      readText(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, text, certificate: raw }),
        // After its answer has started, a request reports no more errors.
        (error: Error) => {
          reject(error)
          message.destroy()
        },
      )
    })
    message.end(body)
  })
}

const TIMED_OUT = 'ETIMEDOUT'
const timeoutReply = () => Object.assign(new Error('too slow'), { code: TIMED_OUT })

async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) {
    text += String(chunk)
    if (text.length > MAX_ANSWER) throw new Error('too large')
  }
  return text
}
