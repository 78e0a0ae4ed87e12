import { expect, test } from 'bun:test'
import { type Answer, endOf } from '#tests/support/system/dashboard.ts'
import { fill, inventory } from '#tests/support/system/odd-site.ts'
import { get } from '#tests/support/system/requests.ts'
import { type Snapshot, snapshot } from '#tests/support/system/snapshot.ts'
import type { World } from '#tests/support/system/world.ts'

export function trashes(world: World): void {
  const statusOf = async () => {
    const { body } = await world.dashboard.call('GET', `/api/fleet/sites/${world.site.id}`)
    return (body.site as { status: string }).status
  }
  const ending = async (answer: Answer) => [
    answer.status,
    (await endOf(world.dashboard, answer)).data,
  ]

  test('moves a site to the trash and restores every file and row', async () => {
    const { host, site, dashboard } = world
    const { id, domain } = site
    const path = world.path(`/sites/${id}`)
    await fill(host, site)
    const page = await get(host, `http://${domain}/?before=the+trash`)
    const password = await dashboard.call('POST', `${path}/db-password`)
    const live = lasting(await snapshot(host))
    const whole = await inventory(host, site)

    const deleted = await ending(await dashboard.call('DELETE', path))
    expect(deleted).toEqual([202, { status: 'ok', domain, size: expect.any(Number) }])
    expect(await statusOf()).toBe('trashed')
    await expect(get(host, `http://${domain}/`)).rejects.toThrow()
    expect(leftOf(site.user, await snapshot(host))).toEqual([])
    await world.sync()
    expect(await statusOf()).toBe('trashed')

    const restored = await ending(await dashboard.call('POST', `${path}/restore`))
    expect(restored).toEqual([202, { status: 'ok', domain }])
    expect(await inventory(host, site)).toEqual(whole)
    expect(lasting(await snapshot(host))).toEqual(live)
    const again = await get(host, `http://${domain}/?before=the+trash`)
    expect([again.status, again.body]).toEqual([200, page.body])
    expect((await dashboard.call('POST', `${path}/db-password`)).body).toEqual(password.body)
    await world.sync()
    expect(await statusOf()).toBe('active')
  })
}

/** Without cached pages, idle workers, and the short programs that read a site as its user. */
function lasting({ files, processes, ...rest }: Snapshot): Snapshot {
  return {
    ...rest,
    files: files.filter((path) => !/^\/var\/cache\/hosting\/\w+\//.test(path)),
    processes: processes.filter(
      (line) => !/^(?!root |hosting-)\S+ +(php-fpm|hosting-agent)/.test(line),
    ),
  }
}

/**
 * A user's served files and running programs; files in the trash, logs, the name and mail settings
 * stay.
 */
function leftOf(user: string, { files, databases, units, processes }: Snapshot): string[] {
  const kept = new RegExp(
    `^(/srv/www/\\.trash|/var/log/hosting|/var/lib/hosting-etc/accounts)/${user}(/|$)`,
  )
  const mail = `/var/lib/hosting-mail/settings/sites/${user}.json`
  const others = files.filter((path) => !kept.test(path) && path !== mail)
  return [...others, ...databases, ...units, ...processes].filter((line) => line.includes(user))
}
