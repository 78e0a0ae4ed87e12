import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import { hostNameOf } from '#agent/features/backups/restic/prepare.ts'
import { RESTORES } from '#agent/kernel/site/paths.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { COMMANDS, type ParamsOf, type ResultOf } from '#shared/commands.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import {
  backupServer,
  dashboard,
  keeper,
  kit,
  opened,
  restorable,
  SAVING,
  TARGET,
} from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { during, keeps, REPLACED } from '#tests/support/agent/replaced.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { openedBy, passwordIdOf } from '#tests/support/repository-password.ts'

type Params = Omit<ParamsOf<'backup.create'>, 'domain'>
const create = async (host: FakeHost, params: Partial<Params> = {}) => {
  const all = { ...SAVING, ...params }
  const complete = (await backupCreate.withSecrets?.(all, host)) ?? all
  return outcome(backupCreate.run(complete, contextOf(host)))
}
const repository = '/mnt/store/shop'
const passwordOn = (host: FakeHost, name = 'shop') =>
  host.disk.text(`/var/lib/hosting-agent/backups/shop/passwords/${name}`)?.trim()
const keysOn = (host: FakeHost) => JSON.parse(host.disk.text(`${repository}/keys`) ?? '[]')
const manifestOn = (host: FakeHost, of = repository) => {
  const path = Object.keys(host.disk.all).find(
    (each) => each.startsWith(`${of}/`) && each.endsWith('/manifest.json'),
  )
  return JSON.parse(host.disk.text(path ?? '') ?? '{}')
}
/** Without the log of programs: the snapshots by the name of their only entry. */
const saved = (host: FakeHost) =>
  Object.keys(host.disk.all)
    .filter((path) => path.startsWith(`${repository}/snapshots/`))
    .map((path) => path.replace(/.*\/[0-9a-f]{64}\/?/, ''))
    .filter((name) => /^[^/]+$/.test(name))
    .sort()

test('saves database, files and manifest, in this order, and forgets the secrets of the target', async () => {
  const host = await backupServer(shop)

  const [lines, result] = await create(host)

  expect(lines).toEqual([
    'Connecting to the target',
    'Opening the repository',
    'Creating the repository shop',
    'Storing the password for the recovery kit',
    'Pausing the jobs of WordPress',
    'Saving the database',
    'Saving the files of shop.example',
    'Resuming the jobs of WordPress',
    'Saving the manifest',
    'Disconnecting from the target',
    'Saved 1.0 kB, of which 300 B are new',
  ])
  expect(result).toEqual({
    domain: 'shop.example',
    backup: {
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      repository: 'shop',
      at: '2026-01-01T00:00:00.000Z',
      files: 1,
      bytes: 1033,
      stored: 300,
      tables: 1,
      seconds: 0,
    },
    sealed_password: expect.any(String),
    present: [expect.stringMatching(/^[0-9a-f]{64}$/)],
  })
  expect(saved(host)).toEqual([
    'database.sql',
    'logs',
    'manifest.json',
    'public',
    'sessions',
    'tmp',
  ])
  expect(host.disk.all['/var/lib/hosting-agent/backups/shop/saving']).toBeUndefined()
})

test('seals the password of the repository to the dashboard and to the recovery kit', async () => {
  const host = await backupServer(shop)

  const [, result] = await create(host)

  const password = String(passwordOn(host))
  const { sealed_password } = result as { sealed_password: string }
  expect(opened(dashboard.privateKey, sealed_password)).toBe(password)
  expect(opened(kit.privateKey, keysOn(host)[0].userName)).toBe(password)
})

test('passes no secret as an argument or in the environment', async () => {
  const host = await backupServer(shop)

  await create(host)

  const given = JSON.stringify(host.runs.map(({ line, options }) => [line, options.env]))
  expect(given).not.toContain(String(passwordOn(host)))
  expect(given).not.toContain('target-secret')
})

test('uses a repository again, and adds one key for each recovery kit', async () => {
  const host = await backupServer(shop)
  await create(host)
  await create(host)
  expect(keysOn(host)).toHaveLength(1)

  await create(host, { recovery_key: dashboard.publicKey })

  expect(keysOn(host)).toHaveLength(2)
})

test('stores the password for the keeper of the storage, once', async () => {
  const host = await backupServer(shop)
  await create(host)

  const [lines] = await create(host, { keeper_key: keeper.publicKey })
  await create(host, { keeper_key: keeper.publicKey })

  expect(lines[2]).toBe('Storing the password for the keeper')
  const keys = keysOn(host)
  expect(keys.map((key: { hostName: string }) => key.hostName)).toEqual([
    hostNameOf('recovery', kit.publicKey),
    hostNameOf('keeper', keeper.publicKey),
  ])
  expect(opened(keeper.privateKey, keys[1].userName)).toBe(String(passwordOn(host)))
  expect((await create(host, { keeper_key: 'none' }))[1]).toBe('Validation failed: keeper_key')
})

test('leaves the passwords of clients on the server', async () => {
  const password_hash = `$2b$10$${'a'.repeat(53)}`
  const client = { token: 'abcd2345', label: 'Print shop', expires_at: null, password_hash }
  const host = await backupServer(shop)
  await writeSite(host, { ...shop, suspended: true, clients: [client] })

  await create(host)

  const { site } = manifestOn(host)
  expect([site.suspended, site.clients]).toEqual([true, undefined])
})

test('leaves out what the site excludes, and names it in the manifest', async () => {
  const host = await backupServer(shop)
  const exclude = ['wp-content/uploads/videos', '**/node_modules']

  await create(host, { exclude })

  const line = host.ran.find((each) => each.includes('--tag files'))
  expect(line).toContain(
    '--exclude=/site/public/wp-content/uploads/videos --exclude=/site/public/**/node_modules -- /site',
  )
  expect(manifestOn(host).files.excluded).toEqual(exclude)
})

test('has no manifest when the dump was cut off, and continues the jobs', async () => {
  const host = await backupServer(shop)
  host.answer('xargs', 'CREATE TABLE x\n')

  const [lines, reason] = await create(host)

  expect(reason).toBe('The dump of the database was cut off before its end')
  expect(lines.slice(-3)).toEqual([
    'Failed: The dump of the database was cut off before its end',
    'Undoing: Pausing the jobs of WordPress',
    'Undoing: Connecting to the target',
  ])
  expect(saved(host)).toEqual(['database.sql'])
  expect(host.ran.at(-1)).toBe('systemctl start hosting-cron@shop.timer')
})

test('says what the storage answered, without its password', async () => {
  const host = await backupServer(shop)
  host.fail('/var/lib/hosting-agent/bin/restic', 'Fatal: dial target-secret: connection refused')

  const [, reason] = await create(host)

  const check = 'The target did not answer: check the network between it and this server'
  expect(reason).toBe(`${check} (Fatal: dial ***: connection refused)`)
})

test('refuses a repository with another password, a weak key and a server without systemd', async () => {
  const host = await backupServer(shop)
  await create(host)
  const other = { ...SAVING, ...openedBy('another'), password: new Secret('another') }
  const [, reason] = await outcome(backupCreate.run(other, contextOf(host)))
  expect(reason).toBe(
    'The repository of this site has another password: find its backups with the recovery kit, or choose another target (Fatal: wrong password or no key found)',
  )

  expect((await create(host, { recovery_key: 'none' }))[1]).toBe('Validation failed: recovery_key')
  host.init = 'direct'
  expect((await create(host))[1]).toBe('Backups need a server that systemd started')
})

const jobs = (ran: readonly string[]) =>
  ran.filter((line) => /^systemctl (stop|start) hosting-cron@shop.timer$/.test(line))
const STOP = 'systemctl stop hosting-cron@shop.timer'

test('fails when a restore of the site begins meanwhile, and does not start its jobs', async () => {
  const { host, saving } = await restorable()
  await host.disk.remove(RESTORES)
  during(host, 'xargs', () => keeps(host, shop.user))

  const [lines, reason] = await outcome(backupCreate.run(saving, contextOf(host)))

  expect(reason).toBe(REPLACED(shop.domain, 'backup'))
  expect(lines).toContain('Undoing: Pausing the jobs of WordPress')
  expect(jobs(host.ran)).toEqual([STOP])
})

test('does not start the jobs of a site that a move freezes meanwhile', async () => {
  const { host, saving } = await restorable()
  const thaw = '/etc/systemd/system/hosting-thaw@shop.timer'
  during(host, 'xargs', () => host.disk.putText(thaw, ''))

  const [, result] = await outcome(backupCreate.run(saving, contextOf(host)))

  expect(result).toMatchObject({ domain: shop.domain })
  expect(jobs(host.ran)).toEqual([STOP])
})

test('keeps a password for each repository of the site, in the folder of the site', async () => {
  const host = await backupServer(shop)
  await create(host)

  const [lines, result] = await create(host, { repository: 'shop-2' })

  const { backup, sealed_password } = result as ResultOf<'backup.create'>
  expect([lines[2], backup.repository]).toEqual(['Creating the repository shop-2', 'shop-2'])
  expect(opened(dashboard.privateKey, sealed_password)).toBe(String(passwordOn(host, 'shop-2')))
  expect(passwordOn(host, 'shop-2')).not.toBe(passwordOn(host))
  expect(manifestOn(host, '/mnt/store/shop-2')).toMatchObject({
    repository: 'shop-2',
    site: { user: 'shop' },
  })
})

test('makes no new password for a repository that has one, and keeps the one it gets', async () => {
  const host = await backupServer(shop)
  await create(host)
  const path = '/var/lib/hosting-agent/backups/shop/passwords/shop'
  const password = host.disk.text(path)?.trim() ?? ''
  await host.files.remove('/var/lib/hosting-agent/backups')

  const password_id = passwordIdOf(password)
  const lost = await create(host, { password_id }).catch((error: ServiceError) => error.body)
  const [, again] = await create(host, { password_id, password: new Secret(password) })

  expect(lost).toEqual({
    error: 'Conflict',
    message: 'This server does not have the password of the repository shop',
    code: 'password_missing',
  })
  expect(again).toMatchObject({ backup: { repository: 'shop' } })
  expect(host.disk.text(path)?.trim()).toBe(password)
})

test.each(['hosting-check', 'hosting-dashboard', 'hosting-keeper', '../shop', ''])(
  'refuses the repository %s',
  (repository) => {
    const { success } = COMMANDS['backup.create'].params.safeParse({
      ...{ ...SAVING, repository, target: { ...TARGET, secret: '' } },
    })
    expect(success).toBe(false)
  },
)

test('goes to another repository after an interrupted creation, and never back', async () => {
  const host = await backupServer(shop)
  during(host, '/var/lib/hosting-agent/bin/restic --retry-lock=240s init', () => {
    throw new Error('restic was killed')
  })
  expect((await create(host))[1]).toBe('restic was killed')
  const first = passwordOn(host)
  const refused = { message: 'The creation of the repository shop was interrupted' }

  const again = await create(host).catch((error: ServiceError) => error.body)
  const [, result] = await create(host, { repository: 'shop-2' })

  expect(again).toEqual({ error: 'Conflict', ...refused, code: 'repository_incomplete' })
  expect(result).toMatchObject({ backup: { repository: 'shop-2' } })
  expect(passwordOn(host, 'shop-2')).not.toBe(first)
  expect(host.disk.find('/var/lib/hosting-agent/backups/shop/creating')).toBeUndefined()
})

test('says what to do with a repository that has lost its configuration, and uses it when that is back', async () => {
  const host = await backupServer(shop)
  await create(host)
  const config = host.disk.text(`${repository}/config`) ?? ''
  host.disk.drop(`${repository}/config`)

  const [, reason] = await create(host)

  expect(reason).toBe(
    'The repository shop has no file config, without which no backup in it can be read: put that file back from a copy of the storage, or remove the folder shop if it has no backups',
  )
  expect(host.disk.find(`${repository}/config`)).toBeUndefined()
  host.disk.putText(`${repository}/config`, config)
  expect((await create(host))[1]).toMatchObject({ backup: { repository: 'shop' } })
})
