import type { NewTarget } from '#dashboard/web/api/backups.ts'
import { type BackupTargetView, CreateBackupTarget } from '#shared/backups/api/backups.ts'

export type Kind = BackupTargetView['place']['kind']

const TEXTS = {
  name: '',
  url: '',
  bucket: '',
  prefix: 'hosting',
  region: 'us-east-1',
  host: '',
  port: '22',
  user: '',
  path: '',
  host_key: '',
  ca: '',
  keeper_key: '',
  /** Empty: the current one stays. */
  secret: '',
}
export type FieldName = keyof typeof TEXTS

export const FIELD_NAMES = Object.keys(TEXTS) as FieldName[]
/** A target as texts of a form. */
export type Draft = Record<FieldName, string> & { kind: Kind }

/** The values of a target; that of the dashboard has no name. */
export type TargetValues = Pick<BackupTargetView, 'place' | 'keeper_key'> & { name?: string }

export function draftOf(target: TargetValues | undefined): Draft {
  if (!target) return { ...TEXTS, kind: 'rest' }
  const { name = '', place, keeper_key } = target
  const texts = Object.entries(place).map(([field, value]) => [field, String(value)])
  return {
    ...TEXTS,
    ...Object.fromEntries(texts),
    name,
    kind: place.kind,
    keeper_key: keeper_key ?? '',
  }
}

/** What the rules of the API refuse: one message for each field, by its name in the form. */
export function mistakesOf(draft: Draft): Partial<Record<FieldName, string>> {
  const { error } = CreateBackupTarget.safeParse(inputOf(draft))
  const found = error?.issues.map(({ path, message }) => [path.at(-1), message]) ?? []
  return Object.fromEntries(found.reverse())
}

/** Answers of the API name the fields of a place `place.url`. */
export function refusalsOf(refused: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(refused)
  return Object.fromEntries(entries.map(([name, text]) => [name.replace(/^place\./, ''), text]))
}

export function inputOf({
  name,
  secret,
  keeper_key,
  ...draft
}: Draft): Pick<NewTarget, 'name' | 'place'> & { secret?: string; keeper_key: string | null } {
  const own = secret === '' ? {} : { secret }
  const key = keeper_key.trim()
  return { name, place: placeOf(draft), keeper_key: key === '' ? null : key, ...own }
}

function placeOf(draft: Omit<Draft, 'name' | 'secret' | 'keeper_key'>): NewTarget['place'] {
  const { kind, url, bucket, prefix, region, host, port, user, path, host_key, ca } = draft
  const places: Record<Kind, NewTarget['place']> = {
    rest: { kind: 'rest', url, user, ca },
    s3: { kind: 's3', url, bucket, prefix, region, user, ca },
    sftp: { kind: 'sftp', host, port: Number(port.trim() || 'none'), user, path, host_key },
    local: { kind: 'local', path },
  }
  return places[kind]
}
