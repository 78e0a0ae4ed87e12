import type { BackupPlace, BackupTarget } from '#shared/backups/backup.ts'
import * as files from '#shared/backups/repository.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { MOUNT, type View } from './sandbox.ts'

/** The repository of one site in a target, and the password that encrypts it. */
export interface Repository {
  name: string
  target: BackupTarget
  password: Secret
}

/** All accounts that a restore knows: restic gives files of others to root, and ssh needs its own. */
const ACCOUNTS = { passwd: 'root:x:0:0::/root:/usr/sbin/nologin\n', group: 'root:x:0:\n' }

/** The files that restic reads, by name: all secrets, and nothing of them in an argument. */
export const filesOf = (repository: Repository): Record<string, string> => ({
  ...ACCOUNTS,
  ...files.filesOf(repository, MOUNT),
})

/** The options of restic(1) for a place. */
export const optionsOf = (place: BackupPlace): string[] => files.optionsOf(place, MOUNT)

/** The folder on the server that a target is, and the locks of the repository in it. */
export function storeOf({ name, target: { place } }: Repository): View['store'] {
  if (place.kind !== 'local') return
  return { path: place.path, locks: `-${place.path}/${name}/locks` }
}
