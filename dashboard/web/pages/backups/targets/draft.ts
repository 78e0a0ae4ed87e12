import type { NewTarget } from '#dashboard/web/api/backups.ts'
import { type BackupTargetView, CreateBackupTarget } from '#shared/api/backups.ts'

export type Kind = BackupTargetView['place']['kind']

const TEXTS = {
  ...{ name: '', url: '', bucket: '', prefix: 'hosting', region: 'us-east-1', host: '' },
  ...{ port: '22', user: '', path: '', host_key: '', ca: '' },
  /** Empty: the current one stays. */
  secret: '',
}
export type FieldName = keyof typeof TEXTS
/** A target as texts of a form. */
export type Draft = Record<FieldName, string> & { kind: Kind }

export function draftOf(target: BackupTargetView | undefined): Draft {
  if (!target) return { ...TEXTS, kind: 'rest' }
  const { name, place } = target
  const texts = Object.entries(place).map(([field, value]) => [field, String(value)])
  return { ...TEXTS, ...Object.fromEntries(texts), name, kind: place.kind }
}

/** What the rules of the API refuse: one message for each field. Its answers name `place` only. */
export function mistakesOf(draft: Draft): Partial<Record<FieldName, string>> {
  const { error } = CreateBackupTarget.safeParse(inputOf(draft))
  const found = error?.issues.map(({ path, message }) => [path.at(-1), message]) ?? []
  return Object.fromEntries(found.reverse())
}

export function inputOf({ name, secret, ...draft }: Draft): Pick<NewTarget, 'name' | 'place'> & {
  secret?: string
} {
  return { name, place: placeOf(draft), ...(secret !== '' && { secret }) }
}

function placeOf(draft: Omit<Draft, 'name' | 'secret'>): NewTarget['place'] {
  const { kind, url, bucket, prefix, region, host, port, user, path, host_key, ca } = draft
  const places: Record<Kind, NewTarget['place']> = {
    rest: { kind: 'rest', url, user, ca },
    s3: { kind: 's3', url, bucket, prefix, region, user, ca },
    sftp: { kind: 'sftp', host, port: Number(port.trim() || 'none'), user, path, host_key },
    local: { kind: 'local', path },
  }
  return places[kind]
}
