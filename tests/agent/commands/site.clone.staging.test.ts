import { expect, test } from 'bun:test'
import { findSite } from '#agent/os/site/sites.ts'
import { fromSite, run, siteServer } from '#tests/support/agent/cloning.ts'
import { STAGING } from '#tests/support/agent/staging.ts'

test('a staging site is separated from the services of the live one before it runs', async () => {
  const host = await siteServer()
  host.answer('/usr/bin/php8.2', 'Stripe\n')
  host.answer('mariadb --no-defaults --user=copy', 'end\n')

  const [lines, result] = await run(host, { ...fromSite, staging: STAGING })

  expect(result).toMatchObject({ domain: 'copy.example' })
  const at = lines.indexOf('Switched off: Stripe')
  expect(lines[at - 1]).toBe('Switching off payments, mail services and accounts')
  expect(lines[at - 2]).toBe('Changing the configuration of the copy')
  expect(lines[at + 1]).toBe('Starting PHP 8.2')
  expect((await findSite(host, 'copy.example'))?.staging).toEqual(STAGING)
})
