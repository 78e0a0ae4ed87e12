import { expect, test } from 'bun:test'
import { SETTING_CHANGES } from '#agent/features/wordpress/separate/setting-changes.ts'
import { switchOffServices } from '#agent/features/wordpress/separate/switch-off.ts'
import { server } from '#tests/support/agent/debian.ts'
import { copy } from '#tests/support/agent/staging.ts'

test('runs as the site, without its plugins, and names what is switched off', async () => {
  const host = await server()
  const stdout = 'Stripe\npayment method stripe\nStripe\n'
  host.answer('/usr/bin/php8.2', stdout)

  expect(await switchOffServices(host, copy)).toEqual(['Stripe', 'payment method stripe'])

  const [run] = host.runs
  expect(run?.line).toEndWith('--skip-plugins --skip-themes eval-file -')
  expect(run?.options.site?.user).toBe('staging-shop')
})

test('says why it failed', async () => {
  const host = await server()
  host.fail('/usr/bin/php8.2', 'Error: no database')

  await expect(switchOffServices(host, copy)).rejects.toThrow(
    'The staging site could not be separated: Error: no database',
  )
})

test('names each setting once', () => {
  const keys = SETTING_CHANGES.map(({ option, path }) => [option, ...path].join(' '))
  expect(new Set(keys).size).toBe(keys.length)
})
