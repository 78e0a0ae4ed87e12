import { createHmac, randomBytes, verify, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { publicKeyOf, sha256 } from '#agent/kernel/host/public-keys.ts'
import { forbidden, unauthorized } from '#shared/kernel/errors.ts'
import {
  type EnrolmentAnswer,
  type EnrolmentConfirmation,
  type EnrolmentRequest,
  enrolmentConfirmationText,
  enrolmentProofText,
  enrolmentRequestText,
  type HubKey,
} from '#shared/servers/enrolment.ts'
import type { Identity } from './identity.ts'
import type { TrustedDashboard } from './trusted-dashboard.ts'

/** The validity of a code in seconds; the dashboard has the same limit. */
const CODE_SECONDS = 15 * 60
/** The seconds within which a dashboard that refused an answer repeats its request. */
const REPEAT_SECONDS = 30
export const NOT_OPEN = 'No enrolment is open: run hosting-agent enrol'
const pathIn = (state_dir: string) => `${state_dir}/trust/enrolment.json`

const PendingEnrolment = z.strictObject({
  server_id: z.number().int().positive(),
  kid: z.string(),
  public_key: z.string(),
  /** The SHA-256 of the code in base64url: enough for the MAC. */
  code_key: z.string(),
  /** Seconds since 1970. */
  until: z.number(),
  /** The number of requests for the proof. */
  answers: z.number().int().nonnegative(),
  /** True when this key of the dashboard was already trusted: it needs no code. */
  trusted: z.boolean().default(false),
  /** The last answer: its nonce, and its time in seconds since 1970. */
  answered: z.object({ nonce: z.string(), at: z.number() }).optional(),
})
type PendingEnrolment = z.infer<typeof PendingEnrolment>

interface EnrolmentDeps {
  files: Files
  state_dir: string
  identity: Identity
  trust: TrustedDashboard
  /** Seconds since 1970. */
  now(): number
}

/** The enrolment in `<state>/trust/enrolment.json`, until the dashboard has called. */
export class Enrolment {
  readonly #deps: EnrolmentDeps
  readonly #path: string
  #open = true

  constructor(deps: EnrolmentDeps) {
    this.#deps = deps
    this.#path = pathIn(deps.state_dir)
  }

  /** Lets the dashboard with this key enrol this agent once, within 15 minutes. */
  async open(server_id: number, hub: HubKey, code: string): Promise<void> {
    const code_key = sha256(`hosting-code/1\n${code}`)
    const pending: PendingEnrolment = {
      server_id,
      ...hub,
      code_key,
      until: this.#deps.now() + CODE_SECONDS,
      answers: 0,
      trusted: await this.#isTrusted(server_id, hub),
    }
    await this.#write(pending)
  }

  async pending(): Promise<PendingEnrolment | undefined> {
    const text = await this.#deps.files.read(this.#path)
    const pending = text === undefined ? undefined : PendingEnrolment.parse(JSON.parse(text))
    return pending && pending.until > this.#deps.now() ? pending : undefined
  }

  /** Returns the pending enrolment. Throws forbidden when none is open. */
  async expect(): Promise<PendingEnrolment> {
    const pending = await this.pending()
    if (!pending) throw forbidden(NOT_OPEN)
    return pending
  }

  /**
   * Proves to the dashboard that this certificate and key belong to the holder of the code, and trusts
   * the dashboard's key from now on. Throws forbidden when no enrolment is open, and unauthorized when
   * the caller does not have the key of the install command.
   */
  async answer(request: EnrolmentRequest): Promise<EnrolmentAnswer> {
    const pending = await this.expect()
    const signed = enrolmentRequestText(request.server_id, request.nonce)
    if (!isFromHub(request, signed, pending)) throw unauthorized()
    const { public_key, certificate } = this.#deps.identity
    const nonce = randomBytes(16).toString('base64url')
    const text = enrolmentProofText({
      server_id: pending.server_id,
      request_nonce: request.nonce,
      answer_nonce: nonce,
      certificate_sha256: sha256(new X509Certificate(certificate).raw),
      agent_key: public_key,
      hub_key: pending.public_key,
    })
    const code_key = Buffer.from(pending.code_key, 'base64url')
    const mac = createHmac('sha256', code_key).update(text).digest('base64url')
    await this.#accept(pending)
    const answered = { nonce, at: this.#deps.now() }
    await this.#write({ ...pending, answers: pending.answers + 1, answered })
    this.#open = true
    return { public_key, certificate, nonce, mac }
  }

  /** Confirms that the dashboard has accepted the last answer. Throws like `answer`. */
  async confirm(request: EnrolmentConfirmation): Promise<void> {
    const pending = await this.expect()
    const text = enrolmentConfirmationText(request.server_id, request.confirms)
    const isOfAnswer = request.confirms === pending.answered?.nonce
    if (!isOfAnswer || !isFromHub(request, text, pending)) throw unauthorized()
    await this.end()
  }

  /**
   * Closes the enrolment; called with each signed request of the dashboard. If its key was trusted
   * before, such a request closes nothing while the dashboard may repeat the request for the proof.
   */
  async close(): Promise<void> {
    if (!this.#open) return
    const pending = await this.pending()
    if (pending && (pending.answers === 0 || this.#mayAskAgain(pending))) return
    await this.end()
  }

  #mayAskAgain({ trusted, answered }: PendingEnrolment): boolean {
    return trusted && this.#deps.now() < (answered?.at ?? 0) + REPEAT_SECONDS
  }

  async end(): Promise<void> {
    this.#open = false
    await this.#deps.files.remove(this.#path)
  }

  #write(pending: PendingEnrolment): Promise<void> {
    return this.#deps.files.write(this.#path, `${JSON.stringify(pending)}\n`, { mode: 0o600 })
  }

  async #isTrusted(server_id: number, { kid }: Pick<HubKey, 'kid'>): Promise<boolean> {
    const known = await this.#deps.trust.read()
    return known?.server_id === server_id && known.keys.some((key) => key.kid === kid)
  }

  async #accept({ server_id, kid, public_key }: PendingEnrolment): Promise<void> {
    if (await this.#isTrusted(server_id, { kid })) return
    const before = await this.#deps.trust.read()
    const keys = [{ kid, public_key, until: null }]
    await this.#deps.trust.write({ server_id, epoch: (before?.epoch ?? 0) + 1, keys })
  }
}

/** Returns whether an enrolment can be open: the file is younger than the validity of a code. */
export async function mayBeOpen(files: Files, state_dir: string, now_ms: number): Promise<boolean> {
  const found = await files.stat(pathIn(state_dir))
  return found !== undefined && now_ms < found.mtime_ms + CODE_SECONDS * 1000
}

type SignedRequest = Pick<EnrolmentRequest, 'kid' | 'server_id' | 'signature'>

function isFromHub(
  { kid, server_id, signature }: SignedRequest,
  text: string,
  pending: PendingEnrolment,
) {
  const key = publicKeyOf(pending.public_key)
  if (!key || kid !== pending.kid || server_id !== pending.server_id) return false
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}
