import { expect, test } from 'bun:test'
import { wpCronRun } from '#agent/features/wordpress/wp.cron-run.ts'
import { contextOf, outcome, server, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const { domain } = shop
const WP = '/usr/bin/php8.2 -d memory_limit=512M'
const run = (host: FakeHost) => outcome(wpCronRun.run({ domain }, contextOf(host)))

test('runs the due events as the site and counts them', async () => {
  const host = await server(shop)
  const printed = "Executed the cron event 'a' in 0.1s.\nSuccess: Executed a total of 1 cron event."
  host.answer(WP, `${printed}\n`)

  const [lines, result] = await run(host)

  expect(lines).toEqual(['Running the due events of shop.example', ...printed.split('\n')])
  expect(result).toEqual({ domain, events: 1 })
  const [ran] = host.runs.filter(({ line }) => line.startsWith(WP))
  expect(ran?.line).toEndWith('--path=/srv/www/shop/public cron event run --due-now')
  expect(ran?.options.site?.user).toBe('shop')
})

test('names the plugin whose error ends the run', async () => {
  const host = await server(shop)
  const file = '/srv/www/shop/public/wp-content/plugins/bad/bad.php'
  host.fail(WP, `PHP Parse error:  syntax error in ${file} on line 3\n`, 255)

  expect((await run(host))[1]).toBe(
    'The events did not run: WordPress of the site stops with a syntax error in the plugin bad (wp-content/plugins/bad/bad.php, line 3). The error log of the site has its text; rename wp-content/plugins/bad to turn it off, or restore a backup',
  )
})

test('fails when a plugin ends the run without an error', async () => {
  const host = await server(shop)
  host.answer(WP, 'bye')

  expect((await run(host))[1]).toStartWith(
    'The events did not run: WordPress of the site ended before it had answered',
  )
})

test('is refused while the site is suspended', async () => {
  const host = await server({ ...shop, suspended: true })

  expect(await run(host)).toEqual([[], 'shop.example is suspended: resume it to run its events'])
})
