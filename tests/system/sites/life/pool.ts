import { expect, test } from 'bun:test'
import { get } from '#tests/support/system/requests.ts'
import type { World } from '#tests/support/system/world.ts'

export function readsPassword(world: World): void {
  test('reads the database password that logs in', async () => {
    const { host, site } = world
    const { body } = await world.dashboard.call('POST', world.path(`/sites/${site.id}/db-password`))
    world.secrets.push(String(body.password))
    const login = `[client]\nuser=${site.user}\npassword=${body.password}\n`
    await host.put('/root/client.cnf', login, 0o600)

    const options = ['--defaults-extra-file=/root/client.cnf', '--batch', '--skip-column-names']
    const input = 'SELECT CURRENT_USER()'
    const user = await host.must(['mariadb', ...options, site.user], { input })

    expect(user.trim()).toBe(`${site.user}@localhost`)
    await host.must(['rm', '/root/client.cnf'])
  })
}

const HELD_MS = 45_000
/** Holds a worker until `go` exists, and prints its limit. */
const HELD = `<?php
touch(__DIR__ . '/held-' . getmypid());
for ($left = 500; $left > 0 && !file_exists(__DIR__ . '/go'); $left--) { usleep(100000); clearstatcache(); }
echo ini_get('upload_max_filesize'), ' ', getmypid();`

export function appliesTier(world: World): void {
  const { php } = world.variant
  const inDocroot = (script: string) => world.host.must(['sh', '-c', script, world.site.docroot])
  const held = async () => Number(await inDocroot('ls "$0" | grep -c ^held- || true'))
  /** Sends requests one by one until that many workers are held (slow on a busy machine), and some more. */
  const answers = async (expected: number) => {
    const asked: ReturnType<typeof get>[] = []
    // The query keeps the page cache from answering.
    const ask = () =>
      asked.push(get(world.host, `http://${world.site.domain}/tier.php?${asked.length}`))
    for (const end = Date.now() + HELD_MS; (await held()) < expected && Date.now() < end; )
      if (asked.length < 40) ask()
    for (let more = 0; more < 4; more++) {
      ask()
      await held()
    }
    await inDocroot('touch "$0/go"')
    const all = await Promise.all(asked)
    await inDocroot('rm "$0"/held-* "$0/go"')
    const [size] = (all[0]?.body ?? '').split(' ')
    return { size, workers: new Set(all.map(({ body }) => body)).size }
  }

  test('applies a tier to the running pool', async () => {
    const { host, site } = world
    await host.put(`${site.docroot}/tier.php`, HELD)
    await host.must(['chown', `${site.user}:www-data`, `${site.docroot}/tier.php`])
    expect(await answers(5)).toEqual({ size: '32M', workers: 5 })

    const body = { user: site.user, php_version: php, tier: 'medium' }
    const applied = await world.dashboard.call('POST', world.path('/pool-apply'), body)

    const message = `Applied tier medium to the PHP ${php} pool of ${site.user}`
    expect([applied.status, applied.body]).toEqual([200, { status: 'ok', message }])
    expect(await answers(10)).toEqual({ size: '64M', workers: 10 })
    await host.must(['rm', `${site.docroot}/tier.php`])
  })
}

export function keepsApart(world: World): void {
  test('isolates the sites, and hides private files', async () => {
    const { host } = world
    const [one, two] = world.sites
    if (!one || !two) throw new Error('no sites')
    const secret = `${two.docroot}/wp-config.php`
    const uploads = `${one.docroot}/wp-content/uploads`
    await get(host, 'https://two.example.test/?warm=opcache')
    await host.put(
      `${one.docroot}/probe.php`,
      `<?php echo @file_get_contents('${secret}') ? 'read' : 'refused';
        echo (@include '${secret}') ? ' included' : ' refused';`,
    )
    await host.must(['mkdir', '-p', uploads])
    await host.put(`${uploads}/evil.php`, '<?php echo "EXECUTED";')
    await host.must(['chown', '-R', `${one.user}:www-data`, `${one.docroot}/probe.php`, uploads])
    await host.must(['ln', '-s', secret, `${one.docroot}/leak.txt`])
    const from = (path: string) => get(host, `http://one.example.test${path}`)

    expect((await from('/probe.php')).body).toBe('refused refused')
    const denied = ['/wp-content/uploads/evil.php', '/.git/config', '/wp-config.php']
    for (const path of denied) expect([path, (await from(path)).status]).toEqual([path, 403])
    expect((await from('/leak.txt')).body).not.toContain('DB_PASSWORD')
    expect((await from('/leak.txt')).status).toBeGreaterThanOrEqual(403)
    const css = await from('/wp-includes/css/dashicons.min.css')
    expect(css.headers).toContain('x-content-type-options: nosniff')
    expect((await from('/wp-json/')).status).toBe(200)
    await expect(get(host, 'http://unknown.example.test/')).rejects.toThrow()
    await expect(get(host, 'https://unknown.example.test/')).rejects.toThrow()
  })
}
