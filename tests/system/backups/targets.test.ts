// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import { sshKey } from '#tests/support/hostile-values.ts'
import * as lab from '#tests/support/lab/index.ts'
import { openedBy, passwordIdOf } from '#tests/support/repository-password.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { putRestic, type Target } from '#tests/support/storage/restic.ts'
import { startS3Server } from '#tests/support/storage/s3.ts'
import { startSftpServer } from '#tests/support/storage/sftp.ts'
import { ENVIRONMENT, startMachine } from '#tests/support/system/machine.ts'
import { shopOf, withShop } from '#tests/support/system/prepared.ts'
import { testProgram } from '#tests/support/system/test-program.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const SITE = shopOf('bookworm')
const PAGE = `/srv/www/${SITE.user}/public/page.html`

const OTHER_HOST =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0m3yfKUYx0e9mTqV1nQ9vYb7yXv2o3i6m1a8Jk5h4d'

type Wrong = Record<string, { secret?: string } & Record<string, unknown>>
const WRONG: Record<Target['place']['kind'], Wrong> = {
  rest: {
    ...{ password: { secret: 'wrong-needle' }, user: { user: 'nobody' }, certificate: { ca: '' } },
    ...{ port: { url: 'https://127.0.0.1:9/agency/' } },
  },
  s3: {
    ...{ secret: { secret: 'wrong-needle' }, user: { user: 'NOBODY' }, certificate: { ca: '' } },
    ...{ bucket: { bucket: 'missing' }, port: { url: 'https://127.0.0.1:9' } },
  },
  sftp: {
    ...{ secret: { secret: sshKey() }, user: { user: 'nobody' } },
    ...{ host_key: { host_key: OTHER_HOST }, port: { port: 9 } },
  },
}
const text = expect.any(String)
const REFUSED: Record<Target['place']['kind'], Record<string, unknown>> = {
  rest: {
    password: { secret: ['The server answered 401 Unauthorized'] },
    user: { secret: ['The server answered 401 Unauthorized'] },
    certificate: { 'place.ca': [text] },
    port: { 'place.url': [text] },
  },
  s3: {
    secret: { secret: [expect.stringContaining('SignatureDoesNotMatch')] },
    user: { 'place.user': [expect.stringContaining('InvalidAccessKeyId')] },
    certificate: { 'place.ca': [text] },
    bucket: { 'place.bucket': [expect.stringContaining('NoSuchBucket')] },
    port: { 'place.url': [text] },
  },
  sftp: {
    secret: { secret: [text] },
    user: { secret: [expect.stringContaining('Permission denied')] },
    host_key: { 'place.host_key': [expect.stringContaining('Host key verification failed')] },
    port: { 'place.host': [text] },
  },
}

unless(lab.available()).describe('a backup in real storage', () => {
  let host: lab.Host

  const run = async (command: string, params: object) => {
    const argv = ['/usr/local/bin/hosting-agent', command, 'none', JSON.stringify(params)]
    const output = await host.must(argv, { env: ENVIRONMENT, timeout_ms: 5 * MINUTES })
    return JSON.parse(output).outcome
  }
  const saved = async (target: Target) => {
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    const params = { domain: SITE.domain, target, repository: SITE.user, ...keys }
    const { data } = await run('backup.create', params)
    expect(data).toMatchObject({ status: 'ok' })
    return { ...data.backup, password: opened(dashboard.privateKey, data.sealed_password) }
  }
  /** Saves a page, changes it, and restores it; then saves what has not changed. */
  const roundTrip = async (target: Target) => {
    const checked = (await run('backup.check', { target })).data
    await host.put(PAGE, 'as saved')
    const { id, repository, password, stored } = await saved(target)
    await host.put(PAGE, 'changed')
    const parts = { files: true, database: true }
    const backup = { repository, ...openedBy(password), backup: id, parts }
    const restored = await run('backup.restore', { domain: SITE.domain, target, ...backup })
    const again = await saved(target)
    return {
      append_only: checked.append_only,
      restored: restored.event,
      page: await host.must(['cat', PAGE]),
      less: again.stored < stored / 20,
      found: await found(target, [id, again.id], password),
    }
  }
  /** What another dashboard finds with the kit: the repository, its password and its backups. */
  const found = async (target: Target, ids: string[], password: string) => {
    const named = target.place.kind === 'rest' ? [SITE.user, 'none'] : null
    const searched = await run('backups.find', { target, repositories: named, after: '' })
    const [repository] = searched.data.repositories
    const unsealed = opened(kit.privateKey, repository.keys[0].sealed)
    const passwords = ['wrong', unsealed]
    const opening = {
      repository: repository.name,
      passwords,
      password_ids: passwords.map(passwordIdOf),
    }
    const { data } = await run('backups.list', { target, ...opening })
    const { backups, ...rest } = data
    const [newest] = backups
    return {
      names: searched.data.repositories.map(({ name }: { name: string }) => name),
      is_listed: searched.data.is_listed,
      isOpened: unsealed === password,
      listed: rest,
      ids:
        backups
          .map(({ id }: { id: string }) => id)
          .reverse()
          .join() === ids.join(),
      isBig: newest.files > 1000 && newest.bytes > 1e7,
    }
  }
  const FOUND = {
    ...{ names: [SITE.user], isOpened: true, ids: true, isBig: true },
    listed: { password: 1, domain: SITE.domain, tables: 12, excluded: [], next: null },
  }

  const whole = ({ append_only, is_listed }: { append_only: boolean; is_listed: boolean }) => ({
    ...{ append_only, restored: 'complete', page: 'as saved', less: true },
    found: { ...FOUND, is_listed },
  })

  /**
   * The fields that a check names for each wrong value, and its other messages about the storage.
   */
  const refusals = async (right: Target) => {
    const named: Record<string, unknown> = {}
    for (const [what, { secret, ...changed }] of Object.entries(WRONG[right.place.kind])) {
      const place = { ...right.place, ...changed }
      const wrong = { place, secret: secret ?? right.secret }
      const { event, data } = await run('backup.check', { target: wrong })
      const text = JSON.stringify(data)
      expect([what, event, text.includes(wrong.secret)]).toEqual([what, 'error', false])
      named[what] = data.fields
    }
    return named
  }

  beforeAll(async () => {
    const program = await testProgram('tests/support/system/faulty-agent.ts')
    host = await startMachine(
      { name: 'client', suite: 'bookworm', init: 'systemd', image: await withShop('bookworm') },
      { program, mirror: await wordpressMirror(), serve: false },
    )
    await putRestic(host)
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), MINUTES)

  test('of a REST server, which refuses to delete it', async () => {
    const { target, stop } = await startRestServer({ users: ['agency'] })

    const outcome = await roundTrip(target('agency'))

    expect(outcome).toEqual(whole({ append_only: true, is_listed: false }))
    expect(await refusals(target('agency'))).toEqual(REFUSED.rest)
    await stop()
  })

  test('of an SFTP account', async () => {
    const { target, stop } = await startSftpServer()

    expect(await roundTrip(target)).toEqual(whole({ append_only: false, is_listed: true }))
    expect(await refusals(target)).toEqual(REFUSED.sftp)
    await stop()
  })

  test('of a bucket of S3, which refuses to delete it with the documented policy', async () => {
    const { target, setPolicy, stop } = await startS3Server({ as_documented: true })

    expect(await roundTrip(target)).toEqual(whole({ append_only: true, is_listed: true }))
    expect(await refusals(target)).toEqual(REFUSED.s3)
    await setPolicy({ as_documented: false })
    expect((await run('backup.check', { target })).data).toMatchObject({ append_only: false })
    await stop()
  })
})
