import { describe, expect, test } from 'bun:test'
import { backupAgent, checkedTarget, kit, place, SECRET } from '#tests/support/dashboard/backups.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { brokenLines, sshKey } from '#tests/support/hostile-values.ts'
import { rsa } from '#tests/support/key-pair.ts'

const HOST_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEjMtcI3X4OGaXHKLfQC'
const KEY = sshKey()
const PLACES = [
  { kind: 'rest' as const, url: 'https://backup.example/', user: 'agency' },
  { kind: 's3' as const, url: 'https://s3.example', bucket: 'backups', prefix: 'x', user: 'K' },
  { kind: 'sftp' as const, host: 'b.example', user: 'b', path: '/b', host_key: HOST_KEY },
  { kind: 'local' as const, path: '/mnt/backup' },
]
const REFUSED = { secret: [expect.any(String)] }

describe('a backup target', () => {
  test('is shown without its secret, and is usable after a check from a server', async () => {
    const { agent, given } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const server_id = await dashboard.addServer(agent)

    const id = await checkedTarget(dashboard, server_id)

    expect(given).toEqual([{ 'backup.check': { target: { place, secret: SECRET } } }])
    const { body } = await dashboard.call('GET', '/api/backup-targets')
    expect(body).toEqual({
      targets: [
        {
          ...{ id, name: 'Backup server', place, is_default: true, backups: 0 },
          ...{ checked_at: expect.any(String), append_only: true, created_at: expect.any(String) },
          keeper_key: null,
          keeper: null,
        },
      ],
    })
  })

  test('at another place needs its secret and a check again', async () => {
    const { agent } = backupAgent()
    await using _ = agent
    await using dashboard = await makeDashboard()
    const id = await checkedTarget(dashboard, await dashboard.addServer(agent))
    const moved = { place: { ...place, url: 'https://other.example/' } }
    const at = `/api/backup-targets/${id}`

    const refused = await dashboard.call('PATCH', at, moved)
    const changed = await dashboard.call('PATCH', at, { ...moved, secret: 'another' })

    expect(refused.body.fields).toEqual({
      secret: ['Is required, because the place has changed'],
    })
    expect(changed.body.target).toMatchObject({ ...moved, checked_at: null, append_only: null })
  })

  test.each(PLACES)('of $kind has a secret of its kind, whichever call sets it', async (own) => {
    await using dashboard = await makeDashboard()
    const add = (secret: string) =>
      dashboard.call('POST', '/api/backup-targets', { name: 'x', place: own, secret })
    const right = { rest: 'a pass#word', s3: 'se;cret', sftp: KEY, local: '' }[own.kind]
    const wrong = [...brokenLines, own.kind === 'sftp' ? 'text' : KEY, 'x'.repeat(257)]

    for (const secret of wrong) {
      const { status, body } = await add(secret)
      expect([secret, status, body.fields]).toEqual([secret, 422, REFUSED])
    }
    const { target } = (await add(right)).body
    for (const secret of wrong) {
      for (const change of [{ secret }, { secret, place: own }]) {
        const at = `/api/backup-targets/${target.id}`
        const { status, body } = await dashboard.call('PATCH', at, change)
        expect([secret, status, body.fields]).toEqual([secret, 422, REFUSED])
      }
    }
  })

  test('has the strong key of a keeper, or none', async () => {
    await using dashboard = await makeDashboard()
    const local = { kind: 'local', path: '/mnt/backup' }
    const add = (name: string, keeper_key: string) =>
      dashboard.call('POST', '/api/backup-targets', { name, place: local, keeper_key })
    const rule = { keeper_key: ['Must be a public RSA key of at least 3072 bits'] }

    expect((await add('weak', rsa(2048).publicKey)).body.fields).toEqual(rule)
    const { target } = (await add('strong', kit.publicKey)).body
    expect(target.keeper_key).toBe(kit.publicKey)
    const at = `/api/backup-targets/${target.id}`
    const weak = { keeper_key: rsa(2048).publicKey }
    expect((await dashboard.call('PATCH', at, weak)).body.fields).toEqual(rule)
    const changed = await dashboard.call('PATCH', at, { keeper_key: null })
    expect(changed.body.target.keeper_key).toBeNull()
  })

  test('has a name of its own, and one of them is the default', async () => {
    await using dashboard = await makeDashboard()
    const local = { kind: 'local', path: '/mnt/backup' }
    const add = (name: string) =>
      dashboard.call('POST', '/api/backup-targets', { name, place: local })
    const first = (await add('one')).body.target
    const second = (await add('two')).body.target
    expect([first.is_default, second.is_default]).toEqual([true, false])

    const taken = await add('two')
    await dashboard.call('PATCH', `/api/backup-targets/${second.id}`, { is_default: true })

    expect(taken.body.fields).toEqual({ name: ['The name is already taken'] })
    const { body } = await dashboard.call('GET', '/api/backup-targets')
    const defaults = body.targets.map(({ name, is_default }: typeof first) => [name, is_default])
    expect(defaults).toEqual([
      ['one', false],
      ['two', true],
    ])
    await dashboard.send('DELETE', `/api/backup-targets/${first.id}`)
    expect((await dashboard.call('GET', '/api/backup-targets')).body.targets).toHaveLength(1)
  })
})
