import { expect, test } from 'bun:test'
import { wpCronRun } from '#agent/commands/wp.cron-run.ts'
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

test('names the reason when an event ends the run', async () => {
  const host = await server(shop)
  host.fail(WP, 'PHP Fatal error: no memory', 255)

  expect((await run(host))[1]).toBe('The events did not run: PHP Fatal error: no memory')
})

test('is refused while the site is suspended', async () => {
  const host = await server({ ...shop, suspended: true })

  expect(await run(host)).toEqual([[], 'shop.example is suspended: resume it to run its events'])
})
