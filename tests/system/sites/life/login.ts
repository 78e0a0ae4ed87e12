import { expect, test } from 'bun:test'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'

/** How plugins for a second factor do it: they end the session that WordPress has just begun. */
const SECOND_FACTOR = `<?php
add_action('wp_login', function () {
  wp_clear_auth_cookie();
  exit('Type the code of your phone');
});
`

interface Started {
  url: string
  token: string
  user: string
}

/** The login of the dashboard to WordPress, without a password of WordPress. */
export function logsInByToken(world: World): void {
  const start = async (user_id?: number) => {
    const path = world.path(`/sites/${world.site.id}/wordpress-login`)
    const { body } = await world.dashboard.call('POST', path, { ...(user_id && { user_id }) })
    const started = body as unknown as Started
    world.secrets.push(started.token)
    return started
  }
  const send = (url: string, token: string, options: string[] = []) =>
    get(world.host, url, { options: ['--data', `token=${token}`, ...options] })
  /** The user that WordPress greets on the page after the login. */
  const greeted = async ({ url, token }: Started) => {
    const { body } = await send(url, token, ['--location', '--cookie', ''])
    return /<span class="display-name">([^<]*)</.exec(body)?.[1]
  }

  test('a token logs in once, as its user, at its site and in its time', async () => {
    const { host, site, dashboard } = world
    const first = await start()
    const other = `https://${world.sites[1]?.domain}${new URL(first.url).pathname}`

    const preview = await get(host, first.url)
    const elsewhere = await send(other, first.token)
    const forged = await send(first.url, first.token.split('').reverse().join(''))
    const both = await Promise.all([send(first.url, first.token), send(first.url, first.token)])
    const [entered] = both.filter(({ status }) => status === 303)

    expect([preview.status, elsewhere.status, forged.status]).toEqual([403, 403, 403])
    expect(both.map(({ status }) => status).sort()).toEqual([303, 403])
    expect(entered?.headers).toContain(`location: http://${site.domain}/wp-admin/`)
    // Visitors do not see the random end of the login.
    expect(await greeted(await start())).toBe(first.user.replace(/-[a-z0-9]{5}$/, ''))

    const args = ['user', 'create', 'ed', 'ed@example.test', '--role=editor', '--porcelain']
    const ed = Number(await wpCli(host, site, world.variant.php, args))
    const users = await dashboard.call('GET', world.path(`/sites/${site.id}/wordpress-users`))
    expect(users.body.users).toEqual([
      expect.objectContaining({ login: first.user, role: 'administrator' }),
      { id: ed, login: 'ed', name: 'ed', role: 'editor' },
    ])
    expect(await greeted(await start(ed))).toBe('ed')

    const late = await start()
    const folder = `/srv/www/${site.user}/tmp/logins`
    const old = ['sed', '-i', 's/"until":[0-9]*/"until":1/']
    const [file = ''] = (await host.must(['ls', folder])).trim().split('\n')
    await host.must([...old, `${folder}/${file}`])
    expect((await send(late.url, late.token)).status).toBe(403)
    expect(await host.must(['ls', folder])).toBe('')
  })

  test('a plugin for a second factor still asks for it', async () => {
    const { host, site } = world
    const folder = `/srv/www/${site.user}/public/wp-content/mu-plugins`
    await host.must(['install', '-d', '-o', site.user, folder])
    await host.put(`${folder}/factor.php`, SECOND_FACTOR, 0o644)
    const { url, token } = await start()

    const asked = await send(url, token)
    await host.must(['rm', '-r', folder])

    expect([asked.status, asked.body]).toEqual([200, 'Type the code of your phone'])
  })
}
