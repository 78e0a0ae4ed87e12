import { expect, test } from 'bun:test'
import { siteReceive } from '#agent/features/moves/site.receive.ts'
import { findBaseline } from '#agent/kernel/baseline/baseline.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import { emptyServer, OLD, PAGE, VHOST } from '#tests/support/agent/moving.ts'
import { table } from '#tests/support/agent/pair.ts'
import { STAGING } from '#tests/support/agent/staging.ts'

test('creates the same site, which serves only the server that it comes from', async () => {
  const { host, params } = await emptyServer()

  const [lines, result] = await outcome(siteReceive.run(params, contextOf(host)))

  expect(lines).toEqual([
    'Creating the system user shop',
    'Creating the folders',
    'Connecting to the target',
    'Fetching the backup',
    'Fetching the database: 33 B',
    'Fetching 1 files: 1.0 kB',
    'Disconnecting from the target',
    'Creating the database',
    'Importing the database',
    'Moving the files to the site',
    'Setting the database password from wp-config.php',
    'Starting PHP 8.2',
    'Adding the virtual host',
    'Scheduling the jobs of WordPress',
    'Checking the front page',
    'Recording the site',
  ])
  expect(result).toEqual({ domain: shop.domain, certificate: '' })
  expect(host.disk.text(PAGE)).toBe('as saved')
  expect(await findSite(host, shop.domain)).toEqual({
    ...shop,
    moving: { from: [OLD], closed: true },
  })
  const vhost = host.disk.text(VHOST)
  expect(vhost).toContain(`    set_real_ip_from ${OLD};\n    real_ip_header X-Real-IP;\n`)
  expect(vhost).toContain('    if ($hosting_asked !~ "^(?:(?:10\\.0\\.0\\.1|127\\.0\\.0\\.1|::1) |')
  expect(host.disk.find('/etc/systemd/system/hosting-cron@shop.timer')).toBeUndefined()
})

const AT = '2026-01-01T00:00:00.000Z'
const TABLES = [table('wp_posts', 'a')]
const KNOWN = { of: 'live.example', at: AT, live: TABLES, staging: TABLES }
const staging = { ...STAGING, of: 'live.example' }

/** The site is a staging site, and the backup has what its tables were compared with. */
async function stagingServer() {
  const path = `${SETTINGS.state_dir}/baselines/${shop.domain}.json`
  const text = JSON.stringify({ ...KNOWN, files: { at: AT, folder: '7' } })
  const { host, params } = await emptyServer({ [path]: text }, { staging })
  return { host, params: { ...params, staging } }
}

test('a staging site is protected, and its tables are compared as on its server', async () => {
  const { host, params } = await stagingServer()

  const [lines, result] = await outcome(siteReceive.run(params, contextOf(host)))

  expect(result).toEqual({ domain: shop.domain, certificate: '', staging: true })

  expect(lines).toContain('Taking over the records of the tables')
  expect(await findSite(host, shop.domain)).toEqual({
    ...{ ...shop, staging },
    moving: { from: [OLD], closed: true },
  })
  expect(await findBaseline(host, shop.domain, 'live.example')).toEqual(KNOWN)
  expect(host.disk.text(VHOST)).toContain('    auth_basic "Staging site";\n')
})

test('refuses a server that has the site', async () => {
  const { params } = await emptyServer()
  const host = await server(shop)
  host.disk.putFolder('/mnt/store', { mode: 0o700 })

  const refused = outcome(siteReceive.run(params, contextOf(host)))

  expect((await refused)[1]).toBe('Validation failed: domain')
})

test('leaves nothing of what the tables of a staging site were compared with', async () => {
  const { host, params } = await stagingServer()
  host.disk.guard = (action) => {
    if (action === `write ${SETTINGS.state_dir}/sites/${shop.domain}.json`) throw new Error('full')
  }

  const [lines, reason] = await outcome(siteReceive.run(params, contextOf(host)))

  expect(reason).toBe('full')
  expect(lines).toContain('Undoing: Taking over the records of the tables')
  expect(await host.files.list(`${SETTINGS.state_dir}/baselines`)).toEqual([])
})
