// tier: gate
import { expect, test } from 'bun:test'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { refuseReadable } from '#dashboard/features/backups/off-site/save-off-site.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const OWN = { kind: 'rest', url: 'https://backup.example:8000/own/', user: 'own', ca: '' } as const

/**
 * Tries the accounts of three targets of sites, of which one is on another storage, with a program
 * that records the address it is given, and ends as `end` says for the account `sites`.
 */
async function tried(end: string, stall_ms = 60_000) {
  await using dashboard = await makeDashboard()
  const { folder, deps } = dashboard
  const add = (name: string, place: object) =>
    dashboard.call('POST', '/api/backup-targets', { name, place, secret: `secret-of-${name}` })
  const site = (user: string, host = 'Backup.example') => ({
    ...{ kind: 'rest', url: `https://${host}:9000/${user}/`, user, ca: '' },
  })
  await add('first', site('first'))
  await add('elsewhere', site('elsewhere', 'other.example'))
  await add('sites', site('sites'))
  const program = `${folder}/restic-of-the-test`
  const lines = [
    '#!/bin/sh',
    `cat "$RESTIC_REPOSITORY_FILE" >> ${folder}/trial/tried`,
    `grep -q 'sites:' "$RESTIC_REPOSITORY_FILE" && { ${end}; }`,
    'exit 1',
  ]
  await mkdir(`${folder}/trial`)
  await writeFile(program, `${lines.join('\n')}\n`, { mode: 0o755 })
  const target = { place: OWN, secret: new Secret('own-secret') }
  const start = async () => [program]
  const own = { start, folder: `${folder}/run`, target, password: new Secret('p'), stall_ms }
  const error = await refuseReadable(deps, own).then(() => null, String)
  const addresses = (await Bun.file(`${folder}/trial/tried`).text()).trim().split('\n')
  expect((await readdir(folder)).filter((name) => name.startsWith('run'))).toEqual([])
  return { error, addresses }
}

const ADDRESSES = ['first', 'sites'].map(
  (name) => `rest:https://${name}:secret-of-${name}@backup.example:8000/own/hosting-dashboard/`,
)

test('a repository that no account of a target of sites opens is used', async () => {
  expect(await tried('exit 1')).toEqual({ error: null, addresses: ADDRESSES })
})

test('a repository that a server could read is refused, and the target is named', async () => {
  expect(await tried('exit 0')).toEqual({
    error:
      'Error: A server could read this: the account of the target sites, which every server gets, opens the repository of the dashboard, too. Use a prefix or an account of its own that this account cannot read',
    addresses: ADDRESSES,
  })
})

test('a storage that does not answer to an account of sites is refused', async () => {
  expect(await tried('exec sleep 60', 5000)).toEqual({
    error:
      'Error: The storage did not answer to the account of the target sites, so it is unknown whether a server could read the backups of the dashboard: check the storage',
    addresses: ADDRESSES,
  })
})
