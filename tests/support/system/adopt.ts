import { constants, privateDecrypt, publicEncrypt } from 'node:crypto'
import { kit } from '#tests/support/agent/backup.ts'
import type { World } from './world.ts'

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

/** Records all backups of a target as the page does it: the kit never leaves this function. */
export async function adopt(world: World, target_id: number): Promise<unknown[]> {
  const call = (path: string, body: object) => world.dashboard.call('POST', world.path(path), body)
  const { repositories, dashboard_key } = (await call('/backup-search', { target_id })).body as {
    repositories: { name: string; keys: { sealed: string }[] }[]
    dashboard_key: string
  }
  const adopted: unknown[] = []
  for (const { name: repository, keys } of repositories) {
    const sealed_passwords = keys.map(({ sealed }) => {
      const bytes = Buffer.from(sealed, 'base64')
      const password = privateDecrypt({ key: kit.privateKey, ...OAEP }, bytes)
      return publicEncrypt({ key: dashboard_key, ...OAEP }, password).toString('base64')
    })
    const body = { target_id, repository, sealed_passwords }
    adopted.push((await call('/backup-adopt', body)).body)
  }
  return adopted
}
