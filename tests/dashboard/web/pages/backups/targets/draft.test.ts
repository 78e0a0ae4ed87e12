import { expect, test } from 'bun:test'
import {
  type Draft,
  draftOf,
  inputOf,
  mistakesOf,
} from '#dashboard/web/pages/backups/targets/draft.ts'
import { CreateBackupTarget } from '#shared/backups/api/backups.ts'
import type { BackupPlace } from '#shared/backups/backup.ts'

const target = {
  ...{ id: 1, name: 'Backups', is_default: true, checked_at: null, append_only: null },
  ...{ keeper_key: null, keeper: null, backups: 0, created_at: '2026-01-01T00:00:00.000Z' },
}
const PLACES: readonly BackupPlace[] = [
  { kind: 'rest', url: 'https://backup.example:8000/', user: 'hosting', ca: '' },
  {
    ...{ kind: 's3', url: 'https://s3.example/', bucket: 'backups', prefix: 'hosting' },
    ...{ region: 'eu', user: 'AKIA', ca: '' },
  },
  {
    ...{ kind: 'sftp', host: 'backup.example', port: 2222, user: 'hosting', path: '/backups' },
    host_key: 'ssh-ed25519 AAAA',
  },
  { kind: 'local', path: '/mnt/backup' },
]

test.each(PLACES)('the form of a $kind target sends the place that it shows', (place) => {
  const input = inputOf(draftOf({ ...target, place }))

  expect(input).toEqual({ name: 'Backups', place, keeper_key: null })
  expect(CreateBackupTarget.parse(input)).toEqual({
    ...{ name: 'Backups', place, secret: '', keeper_key: null },
  })
})

test('a secret is sent when one is typed', () => {
  expect(inputOf({ ...draftOf(undefined), secret: 'key' })).toMatchObject({ secret: 'key' })
})

test('the key of the keeper is sent without the spaces around it', () => {
  expect(inputOf({ ...draftOf(undefined), keeper_key: '\nkey \n' })).toMatchObject({
    keeper_key: 'key',
  })
})

test('each refused field has the message of the API', () => {
  const draft: Draft = { ...draftOf(undefined), kind: 'sftp', host: 'a.example', port: 'ssh' }

  expect(mistakesOf(draft)).toEqual({
    name: 'Must have 1 to 64 characters',
    port: 'Must be a number',
    user: 'User is required',
    path: 'Path is required',
    host_key: 'Host key is required',
  })
  expect(mistakesOf({ ...draft, kind: 'local', name: 'Disk', path: '/mnt/backup' })).toEqual({})
})
