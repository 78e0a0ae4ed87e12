import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/commands/backup.create.ts'
import { COMMANDS, type ParamsOf, type ResultOf } from '#shared/commands.ts'
import { Secret } from '#shared/secret.ts'
import { backupServer, dashboard, kit, opened, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const PARAMS = {
  ...{ domain: shop.domain, target: TARGET, repository: 'shop' },
  ...{ dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey },
}
const create = (host: FakeHost, params: Partial<ParamsOf<'backup.create'>> = {}) =>
  outcome(backupCreate.run({ ...PARAMS, ...params }, contextOf(host)))

test('keeps a password for each repository of the site, in the folder of the site', async () => {
  const host = await backupServer(shop)
  const passwordOf = (name: string) =>
    host.disk.text(`/var/lib/hosting-agent/backups/shop/passwords/${name}`)?.trim()
  await create(host)

  const [lines, result] = await create(host, { repository: 'shop-2' })

  const { backup, sealed_password } = result as ResultOf<'backup.create'>
  expect([lines[2], backup.repository]).toEqual(['Creating the repository shop-2', 'shop-2'])
  expect(opened(dashboard.privateKey, sealed_password)).toBe(String(passwordOf('shop-2')))
  expect(passwordOf('shop-2')).not.toBe(passwordOf('shop'))
  const path = Object.keys(host.disk.all).find((each) =>
    /store\/shop-2\/.*manifest.json$/.test(each),
  )
  expect(JSON.parse(host.disk.all[path ?? ''] ?? '{}')).toMatchObject({
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

  const [, lost] = await create(host, { is_begun: true })
  const [, again] = await create(host, { is_begun: true, password: new Secret(password) })

  expect(lost).toBe('This server has lost the password of shop')
  expect(again).toMatchObject({ backup: { repository: 'shop' } })
  expect(host.disk.text(path)?.trim()).toBe(password)
})

test.each(['hosting-check', 'hosting-dashboard', 'hosting-keeper', '../shop', ''])(
  'refuses the repository %s',
  (repository) => {
    const { success } = COMMANDS['backup.create'].params.safeParse({
      ...{ ...PARAMS, repository, target: { ...TARGET, secret: '' } },
    })
    expect(success).toBe(false)
  },
)
