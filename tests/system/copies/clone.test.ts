// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { dashboard, kit, opened } from '#tests/support/agent/backup.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { unless } from '#tests/support/skip.ts'
import {
  type ClonedSite,
  type CloningServer,
  cloningServer,
  fill,
  makeNetwork,
  siteOf,
  sqlOf,
} from '#tests/support/system/cloning.ts'
import { get } from '#tests/support/system/requests.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const shop = siteOf('shop.example.test', 'shop1a2b3c')
const copy = siteOf('copy.example.org', 'copy1a2b3c')
const netCopy = siteOf('net-copy.example.org', 'netcopy1a2b3c')
const TARGET = { place: { kind: 'local', path: '/mnt/store' }, secret: '' }

unless(lab.available()).describe('a clone', () => {
  let server: CloningServer

  const inPublic = ({ user }: ClonedSite, command: string, host = server.host) =>
    host.must(['bash', '-ec', `cd /srv/www/${user}/public; ${command}`])
  const option = async ({ user }: ClonedSite, name: string, host = server.host) => {
    const sql = await sqlOf(host, user)
    return (await sql(`SELECT option_value FROM wp_options WHERE option_name = '${name}'`)).trim()
  }
  /** The files with their owners, modes, sizes and targets, and the rows of all tables. */
  const stateOf = async (site: ClonedSite) => {
    const files = await inPublic(
      site,
      "find . -printf '%P %y %u %g %m %s %l\\n' | sort; find . -type f -print0 | sort -z | xargs -0 sha256sum",
    )
    const rows = await server.host.must(['mariadb-dump', '--skip-comments', site.user])
    return Bun.hash(files + rows.replaceAll(/\(\d+,'(cron|_transient)[^\n]*/g, '')).toString(36)
  }

  beforeAll(async () => {
    server = await cloningServer('cloning')
    await server.completed('site.create', shop)
    await fill(server.host, shop)
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('answers at its own address with its own content, and the original is unchanged', async () => {
    const { host, completed } = server
    // Also a run that has begun: WordPress records its daily work in the options.
    const cron = `hosting-cron@${shop.user}`
    await host.must(['systemctl', 'stop', `${cron}.timer`, `${cron}.service`])
    const before = await stateOf(shop)
    const params = { ...copy, from: { kind: 'site', domain: shop.domain } }
    const result = await completed('site.clone', params)
    expect(result).toMatchObject({ domain: copy.domain, tables: 13, addresses: { replaced: 9 } })
    const reasons = result.addresses.left.map(({ column, reason }) => [column, reason])
    expect(reasons.sort()).toEqual([
      ['guid', 'skipped'],
      ['option_value', 'email'],
      ['option_value', 'subdomain'],
    ])
    expect(await stateOf(shop)).toBe(before)

    for (const { domain } of [shop, copy]) {
      const { status, body } = await get(host, `http://${domain}/`)
      expect([domain, status, body.includes(`//${domain}/`)]).toEqual([domain, 200, true])
    }
    const page = (await get(host, `http://${copy.domain}/`)).body
    expect(page).not.toContain(shop.domain)
    expect(page).toContain(`<!-- served by ${copy.domain} -->`)
    expect(await option(copy, 'siteurl')).toBe(`http://${copy.domain}`)
    const url = `http://${copy.domain}/wp-content/uploads/a.jpg`
    expect(await option(copy, 'clone_widget')).toBe(
      `a:1:{i:0;a:1:{s:3:"url";s:${url.length}:"${url}";}}`,
    )
    expect(await option(copy, 'clone_builder')).toContain(
      `http:\\\\/\\\\/${copy.domain}\\\\/wp-content`,
    )
    expect(await option(copy, 'clone_path')).toBe(`/srv/www/${copy.user}/public/wp-content/uploads`)
    expect(await option(copy, 'clone_mail')).toBe(`anna@${shop.domain}`)
  })

  test('has every file but caches, with its links, and owns it', async () => {
    const list = [
      'find . -path ./wp-content/cache -prune -o',
      "-type d -printf '%p %y %m\\n' -o -printf '%p %y %m %n\\n' | sort;",
      'find . -path ./wp-content/cache -prune -o -type f ! -name wp-config.php ! -name .user.ini',
      '! -name wordfence-waf.php -print0 | sort -z | xargs -0 sha256sum',
    ].join(' ')
    expect(await inPublic(copy, list)).toBe(await inPublic(shop, list))
    expect(await inPublic(copy, 'readlink linked outside')).toBe(
      `/srv/www/${copy.user}/public/wp-content/uploads\n/etc/shadow\n`,
    )
    expect(await inPublic(copy, `find . ! -user ${copy.user} -o ! -group ${copy.user}`)).toBe('')
    expect(Number(await inPublic(copy, 'stat -c %b wp-content/uploads/sparse'))).toBeLessThan(100)
    expect(await inPublic(copy, 'ls wp-content/cache 2>/dev/null || echo none')).toBe('none\n')
    expect(
      await inPublic(
        copy,
        `grep -rIl --exclude-dir=uploads -e ${shop.user} -e ${shop.domain} . || true`,
      ),
    ).toBe('')
  })

  test('has rows, tables and keys of its own', async () => {
    const [one, other] = [await sqlOf(server.host, shop.user), await sqlOf(server.host, copy.user)]
    for (const text of [
      'CHECKSUM TABLE wp_bytes, wp_comments',
      "SELECT GROUP_CONCAT(option_name ORDER BY option_name) FROM wp_options WHERE option_name NOT LIKE '%transient%'",
    ])
      expect((await other(text)).replaceAll(copy.user, '')).toBe(
        (await one(text)).replaceAll(shop.user, ''),
      )
    const keys = 'grep -E "\'(AUTH_KEY|NONCE_SALT|DB_PASSWORD)\'" wp-config.php'
    const [first, second] = [await inPublic(shop, keys), await inPublic(copy, keys)]
    const values = (text: string) => [...text.matchAll(/, *'([^']+)'/g)].map(([, value]) => value)
    expect(values(first).length).toBe(3)
    expect(values(first).filter((value) => values(second).includes(value))).toEqual([])
  })

  test('has all sites of a network in folders, and refuses one with subdomains', async () => {
    const { host, completed, run } = server
    const net = siteOf('net.example.test', 'net1a2b3c')
    await completed('site.create', net)
    await makeNetwork(host, net)
    const params = { ...netCopy, from: { kind: 'site', domain: net.domain } }
    await completed('site.clone', params)

    const sql = await sqlOf(host, netCopy.user)
    expect(await sql('SELECT domain, path FROM wp_blogs ORDER BY blog_id')).toBe(
      'net-copy.example.org\t/\nnet-copy.example.org\t/second/\n',
    )
    const second = "SELECT option_value FROM wp_2_options WHERE option_name = 'siteurl'"
    expect(await sql(second)).toBe('http://net-copy.example.org/second\n')
    expect((await get(host, 'http://net-copy.example.org/')).status).toBe(200)

    await inPublic(
      net,
      "sed -i \"s/'SUBDOMAIN_INSTALL', false/'SUBDOMAIN_INSTALL', true/\" wp-config.php",
    )
    const third = siteOf('third.example.org', 'third1a2b3c')
    const refused = await run('site.clone', { ...third, from: params.from })
    expect(refused?.data).toMatchObject({
      message: expect.stringContaining('a network of sites with subdomains cannot be copied'),
    })
  })

  test('is made of a backup on another server, when site and server are gone', async () => {
    const { host, completed } = server
    await host.must(['install', '-d', '-m', '0700', '/mnt/store'])
    const keys = { dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey }
    const { backup, sealed_password } = await completed('backup.create', {
      ...{ domain: shop.domain, target: TARGET, repository: shop.user, ...keys },
    })
    const { id, repository } = backup
    const other = await cloningServer('other')
    await must(['cp', '-a', `${host.root}/mnt/store`, `${other.host.root}/mnt/`])
    await host.powerOff()
    const from = {
      ...{ kind: 'backup', target: TARGET, repository, backup: id },
      ...openedBy(opened(dashboard.privateKey, sealed_password)),
    }
    const result = await other.completed('site.clone', { ...copy, from })
    expect(result).toMatchObject({ domain: copy.domain, tables: 13, addresses: { replaced: 9 } })
    const { status, body } = await get(other.host, `http://${copy.domain}/`)
    expect([status, body.includes(`<!-- served by ${copy.domain} -->`)]).toEqual([200, true])
    expect(body).not.toContain(shop.domain)
    expect(await option(copy, 'clone_path', other.host)).toBe(
      `/srv/www/${copy.user}/public/wp-content/uploads`,
    )
    expect(
      await inPublic(copy, `find . ! -user ${copy.user} -o ! -group ${copy.user}`, other.host),
    ).toBe('')
    const left = await other.host.must([
      'bash',
      '-c',
      'ls /srv/www/.restore/*; ls /var/lib/hosting-agent/backups',
    ])
    expect(left).toBe('clone.json\n')
  })
})
