import type { BackupPlace, BackupTarget } from '#shared/backups/backup.ts'
import * as files from '#shared/backups/repository.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { MOUNT, type ResticView } from './sandbox.ts'

/** The repository of one site in a target, and the password that encrypts it. */
export interface Repository {
  name: string
  target: BackupTarget
  password: Secret
}

/** The accounts of a restore: restic gives files of all others to root, and ssh needs its own. */
const ACCOUNTS = { passwd: 'root:x:0:0::/root:/usr/sbin/nologin\n', group: 'root:x:0:\n' }

/** Returns the files that restic reads, by name: secrets are in them, and in no argument. */
export const filesOf = (repository: Repository): Record<string, string> => ({
  ...ACCOUNTS,
  ...files.filesOf(repository, MOUNT),
})

/** The options of restic(1) for a place. */
export const optionsOf = (place: BackupPlace): string[] => files.optionsOf(place, MOUNT)

/** Returns the folder on the server that a target is, and that of the locks of its repository. */
export function storeOf({ name, target: { place } }: Repository): ResticView['store'] {
  if (place.kind !== 'local') return
  return { path: place.path, locks: `-${place.path}/${name}/locks` }
}
