import { constants, privateDecrypt } from 'node:crypto'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import { restoreFolders } from '#agent/features/backups/paths.ts'
import { type Site, writeSite } from '#agent/kernel/site/sites.ts'
import type { BackupParts } from '#shared/backups/backup-parts.ts'
import type { ResultOf } from '#shared/commands.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { knownKey } from '#tests/support/key-pair.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'
import { contextOf, outcome, server, shop } from './debian.ts'

/** The keys of a dashboard, of its recovery kit, and of the keeper of a storage. */
export const dashboard = knownKey('dashboard')
export const kit = knownKey('kit')
export const keeper = knownKey('keeper')

/** A folder of the server. */
export const TARGET = {
  place: { kind: 'local' as const, path: '/mnt/store' },
  secret: new Secret('target-secret'),
}

/** A request without a password. */
export const NONE = new Secret('')

/** The params that back up `shop`. */
export const SAVING = {
  ...{ domain: shop.domain, target: TARGET, repository: shop.user, password: NONE },
  ...{ dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey },
}

/** Returns the text that was sealed to the public half of the private key `key`. */
export function opened(key: string, sealed: string): string {
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const bytes = privateDecrypt({ key, padding, oaepHash: 'sha256' }, Buffer.from(sealed, 'base64'))
  return bytes.toString('utf8')
}

/** With the folder of the target. */
export async function backupServer(site?: typeof shop) {
  const host = await server(site)
  host.disk.putFolder(TARGET.place.path, { mode: 0o700 })
  return host
}

/** A server with a site that was backed up with these files, and the params that restore it. */
export async function savedSite(files: Record<string, string>, record: Partial<Site> = {}) {
  const host = await backupServer(shop)
  await writeSite(host, { ...shop, ...record })
  for (const [path, text] of Object.entries(files)) host.disk.putText(path, text)
  const [, result] = await outcome(backupCreate.run(SAVING, contextOf(host)))
  if (typeof result === 'string') throw new Error(result)
  const { backup, sealed_password } = result as ResultOf<'backup.create'>
  const password = new Secret(opened(dashboard.privateKey, sealed_password))
  const restore = (parts: BackupParts) => ({
    ...{ domain: shop.domain, target: TARGET, password, parts },
    password_id: passwordIdOf(password.reveal()),
    ...{ repository: backup.repository, backup: backup.id },
  })
  host.runs.length = 0
  return { host, restore }
}

/** One that is the same each time, and the params that back up and restore its whole site. */
export async function restorable() {
  const page = `/srv/www/${shop.user}/public/index.html`
  const { host, restore } = await savedSite({ [page]: 'old' })
  host.disk.putText(page, 'new')
  host.disk.putText(`${TARGET.place.path}/${shop.user}/keys`, '[]')
  // They stay after a restore, also after one that failed.
  for (const path of restoreFolders(shop.user)) host.disk.putFolder(path, { mode: 0o700 })
  return { host, params: restore({ files: true, database: true }), saving: SAVING }
}
