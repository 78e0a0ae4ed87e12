import { constants, privateDecrypt } from 'node:crypto'
import { kit } from '#tests/support/agent/backup.ts'
import type { Dashboard } from './dashboard.ts'

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** As the page does it, with the private key of the kit. No proof starts by itself. */
export async function confirmKit(dashboard: Dashboard): Promise<void> {
  await dashboard.call('PUT', '/api/settings/proof_every', { value: 'off' })
  const made = await dashboard.call('POST', '/api/backup-kit', { public_key: kit.publicKey })
  const sealed = Buffer.from(String(made.body.challenge), 'base64')
  const answer = privateDecrypt({ key: kit.privateKey, ...OAEP }, sealed).toString('base64')
  await dashboard.call('POST', '/api/backup-kit/confirm', { answer })
}
