import { createHmac, randomBytes, verify, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import {
  type EnrolmentAnswer,
  type EnrolmentRequest,
  enrolmentProofText,
  enrolmentRequestText,
  type HubKey,
} from '#shared/enrolment.ts'
import { forbidden, unauthorized } from '#shared/errors.ts'
import type { Files } from '../host/ports.ts'
import type { HubTrust } from './hub.ts'
import type { Identity } from './identity.ts'
import { publicKeyOf, sha256 } from './keys.ts'

/** Seconds that a code is good for on this side; the dashboard's own limit is the same. */
const CODE_SECONDS = 15 * 60
export const NOT_OPEN = 'No enrolment is open: run hosting-agent enrol'
const pathIn = (state_dir: string) => `${state_dir}/trust/enrolment.json`

const Pending = z.strictObject({
  server_id: z.number().int().positive(),
  kid: z.string(),
  public_key: z.string(),
  /** SHA-256 of the code in base64url: enough for the MAC. */
  code_key: z.string(),
  /** Seconds since 1970. */
  until: z.number(),
  /** How often the dashboard has asked for the proof. */
  answers: z.number().int().nonnegative(),
})
type Pending = z.infer<typeof Pending>

interface EnrolmentDeps {
  files: Files
  state_dir: string
  identity: Identity
  trust: HubTrust
  /** Seconds since 1970. */
  now(): number
}

/** `<state>/trust/enrolment.json`: there from `hosting-agent enrol` until the dashboard has called. */
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
    const pending: Pending = {
      server_id,
      ...hub,
      code_key,
      until: this.#deps.now() + CODE_SECONDS,
      answers: 0,
    }
    await this.#write(pending)
  }

  async pending(): Promise<Pending | undefined> {
    const text = await this.#deps.files.read(this.#path)
    const pending = text === undefined ? undefined : Pending.parse(JSON.parse(text))
    return pending && pending.until > this.#deps.now() ? pending : undefined
  }

  /** Throws forbidden when no enrolment is open. */
  async expect(): Promise<Pending> {
    const pending = await this.pending()
    if (!pending) throw forbidden(NOT_OPEN)
    return pending
  }

  /**
   * Proves to the dashboard that this certificate and key belong to who was given the code, and
   * trusts the dashboard's key from now on. Throws forbidden when no enrolment is open, and
   * unauthorized when the caller is not the dashboard whose key the pasted line named.
   */
  async answer(request: EnrolmentRequest): Promise<EnrolmentAnswer> {
    const pending = await this.expect()
    if (!isFromHub(request, pending)) throw unauthorized()
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
    await this.#write({ ...pending, answers: pending.answers + 1 })
    this.#open = true
    return { public_key, certificate, nonce, mac }
  }

  /**
   * Called with the first request that the dashboard signed: the code has served its purpose. One that
   * comes before the dashboard has asked for the proof is of an older trust, and closes nothing.
   */
  async close(): Promise<void> {
    if (!this.#open) return
    const pending = await this.pending()
    if (pending?.answers === 0) return
    this.#open = false
    await this.#deps.files.remove(this.#path)
  }

  #write(pending: Pending): Promise<void> {
    return this.#deps.files.write(this.#path, `${JSON.stringify(pending)}\n`, { mode: 0o600 })
  }

  async #accept({ server_id, kid, public_key }: Pending): Promise<void> {
    const before = await this.#deps.trust.read()
    const known = before?.server_id === server_id && before.keys.some((key) => key.kid === kid)
    if (known) return
    const keys = [{ kid, public_key, until: null }]
    await this.#deps.trust.write({ server_id, epoch: (before?.epoch ?? 0) + 1, keys })
  }
}

/** Whether an enrolment can be open: the file is younger than a code may be. */
export async function mayBeOpen(files: Files, state_dir: string, now_ms: number): Promise<boolean> {
  const found = await files.stat(pathIn(state_dir))
  return found !== undefined && now_ms < found.mtime_ms + CODE_SECONDS * 1000
}

function isFromHub({ kid, server_id, nonce, signature }: EnrolmentRequest, pending: Pending) {
  const key = publicKeyOf(pending.public_key)
  if (!key || kid !== pending.kid || server_id !== pending.server_id) return false
  const text = Buffer.from(enrolmentRequestText(server_id, nonce))
  return verify(null, text, key, Buffer.from(signature, 'base64url'))
}
