import { expect, test } from 'bun:test'
import * as cron from '#agent/features/jobs/cron/cron.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import { runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { copy } from '#tests/support/agent/staging.ts'

const PREPENDED = 'auto_prepend_file'
const FILE = '/usr/local/lib/hosting/staging.php'

test('PHP of a staging site names its environment, and runs the file of root first', async () => {
  const host = await server()

  await fpm.apply(host, copy).apply()
  await fpm.apply(host, shop).apply()

  const poolOf = (user: string) => host.disk.all[`/etc/hosting/fpm/${user}-php8.2.d/pool.conf`]
  expect(poolOf('staging-shop')).toContain('\nenv[WP_ENVIRONMENT_TYPE] = staging\n')
  expect(poolOf('staging-shop')).toContain(`\nphp_admin_value[${PREPENDED}] = ${FILE}\n`)
  expect(poolOf('shop')).not.toMatch(/WP_ENVIRONMENT_TYPE|auto_prepend_file/)
  expect(await host.files.stat(FILE)).toMatchObject({ mode: 0o644, uid: 0 })
})

test('wp-cli of a staging site does the same', async () => {
  const host = await server()

  await runWpCli(host, copy, ['eval', '1'])
  await runWpCli(host, shop, ['eval', '1'])

  const [own, other] = host.runs
  expect(own?.line).toContain(`-d ${PREPENDED}=${FILE} `)
  expect(own?.options.env).toMatchObject({ WP_ENVIRONMENT_TYPE: 'staging' })
  expect(other?.line).not.toContain(PREPENDED)
  expect(other?.options.env).not.toHaveProperty('WP_ENVIRONMENT_TYPE')
})

test.each(['systemd', 'direct'] as const)('a staging site has no jobs: %s', async (init) => {
  const host = await server()
  host.init = init
  const before = Object.keys(host.disk.all)

  await cron.scheduleJobs(host, copy).apply()

  const added = Object.keys(host.disk.all).filter((path) => !before.includes(path))
  expect(added).toEqual(['/etc/logrotate.d/hosting-staging-shop'])
})
