import { expect, test } from 'bun:test'
import { phpValueProblem } from '#shared/kernel/php-values.ts'
import { siteConfigureType } from '#shared/sites/site.configure.ts'
import { beyondTier } from '#shared/sites/site-settings.ts'
import { hostileSettings, validSettings } from '#tests/support/agent/settings-params.ts'

const { params } = siteConfigureType.command
const parse = (change: object) => params.safeParse({ domain: 'shop.example', ...change })

test('accepts settings of each kind, and null for the default', () => {
  expect(parse(validSettings).success).toBe(true)
  const names = Object.keys(validSettings)
  expect(parse(Object.fromEntries(names.map((name) => [name, null]))).success).toBe(true)
})

test.each(Object.entries(hostileSettings))('refuses hostile values of %s', (name, values) => {
  const accepted = values.filter((value) => parse({ [name]: value }).success)

  expect(accepted).toEqual([])
})

test('addresses are those of IPv4 and IPv6, alone or as a network', () => {
  const allow = ['203.0.113.7', '203.0.113.0/24', '2001:db8::1', '2001:db8::/32']

  expect(parse({ maintenance: { allow } }).data?.maintenance).toEqual({ allow, message: '' })
})

test('a value that php.ini could read in another way is refused with its rule', () => {
  expect(phpValueProblem('max_file_uploads', '0x10')).toBe(
    'max_file_uploads must be a whole number between 1 and 200',
  )
  expect(phpValueProblem('short_open_tag', 'Off')).toBe('short_open_tag must be on or off')
  expect(phpValueProblem('disable_functions', 'exec;')).toBe(
    'disable_functions must be names of functions, separated by commas',
  )
  expect(phpValueProblem('constructor', 'x')).toStartWith('constructor cannot be set: one of ')
})

test('names each limit that the tier does not allow', () => {
  const php = { memory_limit: 512, upload: 300, execution_time: 300, values: {} }

  expect(beyondTier(php, 'small')).toEqual([
    'memory_limit must be at most 256 on the tier small',
    'upload must be at most 256 on the tier small',
  ])
  expect(beyondTier(php, 'large')).toEqual([])
})
