import { expect, test } from 'bun:test'
import { placeName } from '#dashboard/web/labels/backup.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'

const common = { user: 'hosting', ca: '' }

const NAMES: readonly [BackupPlace, string][] = [
  [
    { kind: 'rest', url: 'https://backup.example:8000/', ...common },
    'hosting at backup.example:8000',
  ],
  [
    {
      ...{ kind: 's3', url: 'https://s3.example/', bucket: 'backups', prefix: 'hosting' },
      ...{ region: 'eu', ...common },
    },
    'backups/hosting at s3.example',
  ],
  [
    {
      ...{ kind: 'sftp', host: 'backup.example', port: 22, user: 'hosting', path: '/backups' },
      host_key: 'ssh-ed25519 AAAA',
    },
    'hosting@backup.example:/backups',
  ],
  [{ kind: 'local', path: '/mnt/backup' }, '/mnt/backup'],
]

test.each(NAMES)('a place in words: %#', (place, words) => {
  expect(placeName(place)).toBe(words)
})
