// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Attention } from '#shared/overview/api/attention.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, startWithShop } from '#tests/support/system/enrolled.ts'
import { SHOP } from '#tests/support/system/prepared.ts'
import { MINUTES } from '#tests/support/system/world.ts'

setDefaultTimeout(6 * MINUTES)

const { domain: DOMAIN } = SHOP
/** More than a small site may have. */
const FILES = 250_100
const MEASURED = '/var/lib/hosting-agent/usage.json'

interface Site {
  id: number
  user: string
  disk: DiskUse | null
}

unless(lab.available()).describe('a site that takes more than its tier has', () => {
  let world: Enrolled
  let user = ''

  beforeAll(async () => {
    const started = await startWithShop('bookworm')
    world = started.world
    user = started.shop.user
    await again()
    // The first measurement is over: what follows is another one.
    await measured(() => true)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const site = async () => {
    const { body } = await world.dashboard.call('GET', '/api/fleet/sites/1')
    return body.site as Site
  }
  const attention = async () => {
    const { body } = await world.dashboard.call('GET', '/api/fleet')
    return (body.attention as Attention[]).filter(({ kind }) => kind === 'site_disk')
  }
  /** The disk use of the site once it is as it should be. */
  const measured = async (is: (disk: DiskUse) => boolean) => {
    const known = async () => {
      // The agent may be starting.
      await world.dashboard.stream('POST', world.path('/sync')).catch(() => undefined)
      const { disk } = await site()
      return disk !== null && is(disk)
    }
    expect(await lab.poll(known, { every_ms: 2000, timeout_ms: 4 * MINUTES })).toBe(true)
    return (await site()).disk
  }
  /** Without its file the agent measures everything again, seconds after its start. */
  const again = async () => {
    await world.host.must(['rm', '-f', MEASURED])
    await world.host.must(['systemctl', 'restart', 'hosting-agent.service'])
  }
  const asUser = (script: string) =>
    world.host.must(
      ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', 'sh', '-c', script],
      { timeout_ms: 3 * MINUTES },
    )
  const public_folder = () => `/srv/www/${user}/public`

  test('equals the result of du(1)', async () => {
    const { disk } = await site()
    const all = ['du', '--summarize', '--block-size=1', `/srv/www/${user}`]
    const bytes = Number.parseInt(await world.host.must(all), 10)

    expect(disk?.limit_bytes).toBe(10e9)
    expect(disk?.bytes).toBeWithin(bytes * 0.9, bytes * 1.1)
    expect(disk?.database_bytes).toBeGreaterThan(100_000)
    expect(await attention()).toEqual([])
  })

  test('is reported with the limit of its tier', async () => {
    await asUser(
      `mkdir ${public_folder()}/many && cd ${public_folder()}/many && seq ${FILES} | xargs touch`,
    )
    await again()

    const disk = await measured(({ files }) => (files ?? 0) > FILES)

    const whole = (value: number) => value.toLocaleString('en-US')
    const { id } = await site()
    expect(await attention()).toEqual([
      {
        ...{ kind: 'site_disk', severity: 'critical', total: 1, query: null },
        items: [
          {
            ...{ severity: 'critical', server_id: world.server, site_id: id, name: DOMAIN },
            ...{ operation_id: null, subject: '', count: 1, query: null },
            reason: `It uses ${whole(disk?.files ?? 0)} files of the 250,000 of its tier small: remove files, or raise its tier`,
            at: disk?.measured_at ?? '',
          },
        ],
      },
    ])
  })

  test('is measured with the rights of the site: a closed folder makes it unknown', async () => {
    await asUser(`mkdir ${public_folder()}/closed && chmod 0 ${public_folder()}/closed`)
    await again()

    expect(await measured(({ bytes }) => bytes === null)).toMatchObject({
      bytes: null,
      files: null,
    })
    expect((await attention())[0]?.items).toMatchObject([
      {
        severity: 'warning',
        name: DOMAIN,
        reason: expect.stringContaining('that its user cannot read'),
      },
    ])
  })

  test('is recorded in the trash', async () => {
    await asUser(`chmod 700 ${public_folder()}/closed`)
    const deleted = await world.dashboard.call('DELETE', world.path(`/sites/${(await site()).id}`))
    await endOf(world.dashboard, deleted)

    const { body } = await world.dashboard.call('GET', '/api/trash')
    const [{ size } = { size: 0 }] = body.trash as { size: number }[]
    const all = ['du', '--summarize', '--block-size=1', `/srv/www/.trash/${user}/home`]
    const bytes = Number.parseInt(await world.host.must(all), 10)
    expect(size).toBeWithin(bytes, bytes * 1.2)
    const units = await world.host.must([
      'systemctl',
      'list-units',
      '--all',
      '--plain',
      '--no-legend',
      `hosting-${user}.slice`,
    ])
    expect(units.trim()).toBe('')
  })
})
