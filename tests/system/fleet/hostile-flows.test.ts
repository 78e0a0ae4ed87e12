// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { SITE } from '#tests/support/system/backup-host.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { HARMLESS, harm, othersOf, SECRET } from '#tests/support/system/hostile-archive.ts'
import { foreignIn, PLANT, publicOf, UIDS, VICTIM } from '#tests/support/system/hostile-entries.ts'
import { addSite, lastOf, type MovedSite } from '#tests/support/system/moved-site.ts'
import {
  type Member,
  startTwoServers,
  succeeded,
  type TwoServers,
} from '#tests/support/system/two-servers.ts'

const MINUTES = 60_000
setDefaultTimeout(15 * MINUTES)
const domain = 'evil.example.test'
const copy = `staging.${domain}`
/** What `foreignIn` prints of a site that has only what is its own. */
const NOTHING = '40750\n'
/** tar has no capability to make one. */
const NO_DEVICE =
  'The files could not be written: tar: ./device: Cannot mknod: Operation not permitted'

/** Files that somebody adds while a site moves: they come with the changes. */
const LATE = `cp /bin/true late && chown 1001:1001 late && chmod 6755 late
  ln -s ${VICTIM}/private.txt late.txt && chown -h 1001:1001 late.txt && mkfifo late.php`

/** Somebody who is root on a server has changed the files of a site; each way goes through the dashboard. */
unless(lab.available()).describe('files of a stolen server', () => {
  let world: TwoServers
  let live: MovedSite
  let staging: MovedSite
  let visitor: string[]

  const at = ({ id }: Member, site: MovedSite, below = '') =>
    `/api/servers/${id}/sites/${site.id}${below}`
  const root = ({ host }: Member, script: string) =>
    host.must(['bash', '-ec', script], { env: { PLANT } })
  const plant = (server: Member, folder: string) =>
    root(server, `cd ${folder} && perl -e "$PLANT" ${VICTIM} ${UIDS.join(' ')}`)
  const clean = (server: Member, { user }: MovedSite) =>
    root(server, `rm -r ${publicOf(user)} && cp -a /root/clean-${user} ${publicOf(user)}`)
  /** The same, while `public` is a link to the files of the neighbour. */
  const whileLinked = async (server: Member, folder: string, work: () => Promise<unknown>) => {
    await root(server, `mv ${folder} ${folder}.real && ln -s ${VICTIM} ${folder}`)
    try {
      return await work()
    } finally {
      await root(server, `rm ${folder} && mv ${folder}.real ${folder}`)
    }
  }
  /** The same, while the folder has a device that anybody can read and write: the first disk. */
  const whileItHasDevice = async (server: Member, folder: string, work: () => Promise<unknown>) => {
    await root(server, `mknod -m 0666 ${folder}/device b 8 0`)
    try {
      return await work()
    } finally {
      await root(server, `rm ${folder}/device`)
    }
  }
  /** The last event; `parts`: work when a step begins. */
  const run = async (path: string, body: object = {}, parts: Parameters<typeof lastOf>[3] = {}) => {
    const last = await lastOf(world, path, body, parts)
    return last?.event === 'complete' ? 'complete' : last?.data.message
  }

  beforeAll(async () => {
    world = await startTwoServers()
    const { dashboard, one, two } = world
    const neighbours = [SITE.domain, 'other.example.test']
    for (const [index, server] of [one, two].entries()) {
      const body = { domain: neighbours[index], user: SITE.user, php: '8.4', tls: 'none' }
      const made = await dashboard.call('POST', `/api/servers/${server.id}/sites`, body)
      expect([made.body, (await endOf(dashboard, made)).event]).toEqual([made.body, 'complete'])
      for (const name of ['private.txt', 'private.sql', 'index-key.php'])
        await server.host.put(`${VICTIM}/${name}`, `<?php // ${SECRET}\n`, 0o640)
      await root(server, `chown ${SITE.user}: ${VICTIM}/private.* ${VICTIM}/index-key.php`)
    }
    live = await addSite(world, { domain, tls: 'none' })
    const from = { kind: 'site', site_id: live.id }
    const made = await dashboard.call('POST', `/api/servers/${one.id}/sites/clone`, {
      ...{ domain: copy, from, staging: true },
    })
    expect((await endOf(dashboard, made)).event).toBe('complete')
    const { id } = made.body.site as { id: number }
    const shown = (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site as MovedSite
    staging = { ...live, id, user: shown.user }
    const access = (await dashboard.call('POST', at(one, staging, '/staging-password'), {})).body
    visitor = ['--user', `${access.user}:${access.password}`]
    for (const { user } of [live, staging])
      await root(one, `cp -a ${publicOf(user)} /root/clean-${user}`)
  }, 15 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('are harmless in the staging site after a refresh', async () => {
    const { one } = world
    const others = await othersOf(one.host)
    const linked = await whileLinked(one, publicOf(live.user), () =>
      run(at(one, staging, '/refresh')),
    )
    expect(linked).toBe(`${publicOf(live.user)} is not a folder: its files are not copied`)
    const device = await whileItHasDevice(one, publicOf(live.user), () =>
      run(at(one, staging, '/refresh')),
    )
    expect(device).toBe(NO_DEVICE)
    expect(await foreignIn(one.host, staging.user)).toBe(NOTHING)
    await plant(one, publicOf(live.user))
    const seen: string[] = []
    const look = async () => void seen.push(await foreignIn(one.host, staging.user))

    expect(await run(at(one, staging, '/refresh'), {}, { config: look })).toBe('complete')

    expect(seen).toEqual([NOTHING])
    expect(await harm(one, { user: staging.user, domain: copy, options: visitor }, others)).toEqual(
      HARMLESS,
    )
    await clean(one, live)
  })

  test('are harmless in the live site after a push', async () => {
    const { one, dashboard } = world
    const others = await othersOf(one.host)
    await succeeded(dashboard, at(one, live, '/backups'))
    await clean(one, staging)
    const push = { staging_id: staging.id, files: true }
    const linked = await whileLinked(one, publicOf(staging.user), () =>
      run(at(one, live, '/push'), push),
    )
    expect(linked).toBe(`${publicOf(staging.user)} is not a folder: its files are not copied`)
    const device = await whileItHasDevice(one, publicOf(staging.user), () =>
      run(at(one, live, '/push'), push),
    )
    expect(device).toBe(NO_DEVICE)
    expect(await foreignIn(one.host, live.user)).toBe(NOTHING)
    await plant(one, publicOf(staging.user))

    expect(await run(at(one, live, '/push'), push)).toBe('complete')

    expect(await harm(one, { user: live.user, domain }, others)).toEqual(HARMLESS)
    await clean(one, staging)
    await clean(one, live)
  })

  test('are harmless on the new server of a site that moves, from the first part of the move on', async () => {
    const { one, two } = world
    const others = await othersOf(two.host)
    const move = { server_id: two.id }
    const linked = await whileLinked(one, publicOf(live.user), () =>
      run(at(one, live, '/move'), move),
    )
    expect([typeof linked, linked]).not.toEqual(['string', 'complete'])
    const device = await whileItHasDevice(one, publicOf(live.user), () =>
      run(at(one, live, '/move'), move),
    )
    expect([typeof device, device]).not.toEqual(['string', 'complete'])
    expect(await two.host.must(['ls', '-A', '/srv/www'])).not.toContain(live.user)
    await plant(one, publicOf(live.user))
    const seen: string[] = []
    const look = async () => void seen.push(await foreignIn(two.host, live.user))
    const parts = {
      way: look,
      gathered: () => root(one, `cd ${publicOf(live.user)} && ${LATE}`),
      frozen: look,
      parted: look,
    }

    expect(await run(at(one, live, '/move'), move, parts)).toBe('complete')

    expect(seen).toEqual([NOTHING, NOTHING, NOTHING])
    expect(await harm(two, { user: live.user, domain }, others)).toEqual(HARMLESS)
    const late = [
      'find',
      publicOf(live.user),
      '-maxdepth',
      '1',
      '-name',
      'late*',
      '-printf',
      '%f %y %m\n',
    ]
    expect((await two.host.must(late)).trim().split('\n').sort()).toEqual([
      'late f 755',
      'late.txt l 777',
    ])
  })
})
