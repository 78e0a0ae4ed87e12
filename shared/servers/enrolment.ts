import { z } from 'zod'
import { secretOf } from '#shared/kernel/secret.ts'

/** How a dashboard and an agent exchange keys (once, with a code that a person carries). */
const key = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'Must be a key in base64url')
const nonce = z.string().regex(/^[A-Za-z0-9_-]{22}$/)

/** The key of a dashboard in the install command: `ed25519:<kid>:<public key, base64url>`. */
export const HubKey = z
  .string()
  .regex(/^ed25519:[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_-]{43}$/, 'Must be ed25519:<id>:<key>')
  .transform((value) => {
    const [, kid = '', public_key = ''] = value.split(':')
    return { kid, public_key }
  })
export type HubKey = z.output<typeof HubKey>

/** A code of 128 bits in base64url. */
export const EnrolmentCode = secretOf(
  z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'Must be the 22 characters shown'),
)

/** The request of the dashboard, signed with its key. */
export const EnrolmentRequest = z.strictObject({
  kid: z.string().max(64),
  server_id: z.number().int().positive(),
  nonce,
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
})
export type EnrolmentRequest = z.infer<typeof EnrolmentRequest>

/** The answer of the agent: the MAC under the code binds the certificate of this connection. */
export const EnrolmentAnswer = z.strictObject({
  public_key: key,
  certificate: z.string().max(8192),
  nonce,
  mac: key,
})
export type EnrolmentAnswer = z.infer<typeof EnrolmentAnswer>

/** The confirmation of the dashboard: `confirms` is the nonce of the accepted answer. */
export const EnrolmentConfirmation = EnrolmentRequest.omit({ nonce: true }).extend({
  confirms: nonce,
})
export type EnrolmentConfirmation = z.infer<typeof EnrolmentConfirmation>

/** Returns the text that the dashboard signs. */
export function enrolmentRequestText(server_id: number, request_nonce: string): string {
  return ['hosting-enrolment-request/1', server_id, request_nonce].join('\n')
}

/** Returns the text that the dashboard signs to confirm. */
export function enrolmentConfirmationText(server_id: number, answer_nonce: string): string {
  return ['hosting-enrolment-confirmation/1', server_id, answer_nonce].join('\n')
}

/** Returns the text under the MAC: nonces, the agent's certificate and key, the dashboard's key. */
export function enrolmentProofText(parts: {
  server_id: number
  request_nonce: string
  answer_nonce: string
  certificate_sha256: string
  agent_key: string
  hub_key: string
}): string {
  const { server_id, request_nonce, answer_nonce, certificate_sha256, agent_key, hub_key } = parts
  return [
    'hosting-enrolment-proof/1',
    server_id,
    request_nonce,
    answer_nonce,
    certificate_sha256,
    agent_key,
    hub_key,
  ].join('\n')
}
