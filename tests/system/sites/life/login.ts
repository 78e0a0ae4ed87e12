import { expect, test } from 'bun:test'
import type { Dashboard } from '#tests/support/system/dashboard.ts'
import { get } from '#tests/support/system/requests.ts'
import type { Site, World } from '#tests/support/system/world.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'
import { isGate } from '#tests/support/turns.ts'

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

/** A must-use plugin, which no option of wp-cli leaves out, that finds the administrator for all. */
const LIAR = `<?php
add_filter('users_pre_query', fn() => [get_user_by('id', 1)]);
`

const DECOYS = `foreach (['kim@client.example' => 'other@client.example', 'akim' => 'akim@client.example'] as $login => $email)
  wp_insert_user(['user_login' => $login, 'user_email' => $email, 'user_pass' => wp_generate_password(), 'role' => 'administrator']);`
const SECOND_OWNER = `global $wpdb;
$wpdb->update($wpdb->users, ['user_email' => 'KIM@client.example'], ['user_login' => 'akim']);`
const DELETE_CLIENTS = `require_once ABSPATH . 'wp-admin/includes/user.php';
$of_client = ['search' => '*@client.example', 'search_columns' => ['user_email']];
foreach (get_users($of_client) as $user) wp_delete_user($user->ID);`

const CLIENT = { email: 'kim@client.example', password: 'a long password of a client' }
const refused: { status: number; body: object } = {
  status: 409,
  body: {
    error: 'Conflict',
    message:
      'The WordPress of this site has no user with your e-mail address: ask your agency to add one',
  },
}

/** Makes the account of a client who may log in to the WordPress of all sites. */
async function admitClient({ dashboard, sites }: World): Promise<void> {
  const { email, password } = CLIENT
  const { body: made } = await dashboard.call('POST', '/api/people', { name: 'Kim' })
  const parts = sites.map(({ id }) => ({ gives: 'login', site_id: id }))
  const path = `/api/people/${Object(made).person.id}/invitation`
  const { body: invited } = await dashboard.call('POST', path, { email, role: null, parts })
  const [, token = ''] = String(Object(invited).invitation.link).split('#')
  await post(dashboard, '/api/invitations/accept', { token, name: 'Kim', password })
}

/** Logs the client in to the dashboard, and returns how it logs in to the WordPress of a site. */
async function sessionOf({ dashboard, secrets }: World) {
  const session = await post(dashboard, '/api/auth/login', CLIENT)
  const cookie = String(session.headers.get('set-cookie')).split(';')[0]
  return async ({ id }: Pick<Site, 'id'>) => {
    const answer = await post(dashboard, `/api/client/sites/${id}/login`, {}, cookie)
    const body: Partial<Started> = await answer.json()
    if (body.token) secrets.push(body.token)
    return { status: answer.status, body }
  }
}

const post = (dashboard: Dashboard, path: string, body: object, cookie = '') =>
  dashboard.visit(path, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

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

  if (isGate) return
  test('a client logs in as the user with their address, and as nobody else', async () => {
    const { host, site, variant } = world
    const wp = (args: string[]) => wpCli(host, site, variant.php, args)
    await admitClient(world)
    const logIn = await sessionOf(world)
    const listed = () => wp(['user', 'list', '--fields=ID,user_login,user_email,roles'])
    const before = await listed()

    expect(await logIn(site)).toEqual(refused)
    expect(await listed()).toBe(before)

    // The address as a name is not the address, and neither is one of which it is a part.
    await wp(['eval', DECOYS])
    expect(await logIn(site)).toEqual(refused)
    const folder = `/srv/www/${site.user}/public/wp-content/mu-plugins`
    await host.must(['install', '-d', '-o', site.user, folder])
    await host.put(`${folder}/liar.php`, LIAR, 0o644)
    const lied = await logIn(site)
    await host.must(['rm', '-r', folder])
    expect(lied).toEqual(refused)

    await wp(['user', 'create', 'kim', 'Kim@Client.example', '--role=editor'])
    const { status, body } = await logIn(site)
    expect([status, body.user, await greeted(body as Started)]).toEqual([200, 'kim', 'kim'])
    // WordPress itself allows an address once; a plugin or an import may not.
    await wp(['eval', SECOND_OWNER])
    expect(await logIn(site)).toEqual(refused)
    await wp(['eval', DELETE_CLIENTS])
    expect(await listed()).toBe(before)
  })

  test('a client is no user of a network of sites without a role on its main site', async () => {
    const { host, sites, variant } = world
    const [, network] = sites
    if (!network) throw new Error('there is no second site')
    const wp = (args: string[]) => wpCli(host, network, variant.php, args)
    const logIn = await sessionOf(world)
    const config = (await wp(['config', 'path'])).trim()
    const dump = `/srv/www/${network.user}/tmp/before.sql`
    await wp(['db', 'export', dump])
    await host.must(['cp', '--preserve', config, '/root/config-before.php'])
    await wp(['core', 'multisite-convert', '--title=Network', '--skip-config'])
    const constants = [
      "define('MULTISITE', true);",
      "define('SUBDOMAIN_INSTALL', false);",
      `define('DOMAIN_CURRENT_SITE', '${network.domain}');`,
      "define('PATH_CURRENT_SITE', '/');",
      "define('SITE_ID_CURRENT_SITE', 1);",
      "define('BLOG_ID_CURRENT_SITE', 1);",
    ]
    await host.must(['sed', '-i', `s|^<?php|<?php ${constants.join(' ')}|`, config])
    const member = Number(await wp(['user', 'create', 'kimberly', CLIENT.email, '--porcelain']))
    const asMember = await logIn(network)
    await wp(['user', 'remove-role', String(member)])
    const asStranger = await logIn(network)
    await host.must(['cp', '--preserve', '/root/config-before.php', config])
    await wp(['db', 'clean', '--yes'])
    await wp(['db', 'import', dump])
    await host.must(['rm', dump, '/root/config-before.php'])

    expect([asMember.status, asMember.body.user, asStranger]).toEqual([200, 'kimberly', refused])
  })
}
