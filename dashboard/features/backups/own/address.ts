import type { BackupPlace } from '#shared/backups/backup.ts'

interface TargetAccess {
  place: BackupPlace
  secret: string
}

/** Returns the storage and the folder in it, without the secret. */
export function addressOf(place: BackupPlace): string {
  const parts = pathOf(place).split('/').filter(Boolean)
  return [place.kind, storageOf(place), ...parts].join('/')
}

function pathOf(place: BackupPlace): string {
  if (place.kind === 'local' || place.kind === 'sftp') return place.path
  const { pathname } = new URL(place.url)
  return place.kind === 's3' ? `${pathname}/${place.bucket}/${place.prefix}` : pathname
}

/** Whether the account of one place opens the storage of the other, and so can read the same. */
export const sharesAccount = (one: TargetAccess, other: TargetAccess): boolean =>
  'user' in one.place &&
  'user' in other.place &&
  isSameStorage(one.place, other.place) &&
  one.place.user === other.place.user &&
  one.secret.trim() === other.secret.trim()

/** Whether two places are on one machine, by its name: a folder is one of each server. */
export const isSameStorage = (one: BackupPlace, other: BackupPlace): boolean =>
  one.kind === other.kind && one.kind !== 'local' && hostOf(one) === hostOf(other)

export function withUserOf(place: BackupPlace, other: BackupPlace): BackupPlace {
  return 'user' in place && 'user' in other ? { ...place, user: other.user } : place
}

function storageOf(place: BackupPlace): string {
  if (place.kind === 'local') return ''
  if (place.kind === 'sftp') return `${place.user}@${hostOf(place)}:${place.port}`
  return new URL(place.url).host.toLowerCase()
}

function hostOf(place: BackupPlace): string {
  if (place.kind === 'local') return ''
  const host = place.kind === 'sftp' ? place.host : new URL(place.url).hostname
  return host.toLowerCase().replace(/\.$/, '')
}
