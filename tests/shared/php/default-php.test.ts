import { expect, test } from 'bun:test'
import { defaultPhp } from '#shared/php/default-php.ts'

const BOOKWORM = 'Debian GNU/Linux 12 (bookworm)'
const TRIXIE = 'Debian GNU/Linux 13 (trixie)'

test.each([
  [['8.2', '8.4'], '8.2', TRIXIE, '8.2'],
  [['8.2', '8.10', '8.9'], '8.3', BOOKWORM, '8.10'],
  [[], '8.2', TRIXIE, '8.4'],
  [[], '8.4', BOOKWORM, '8.2'],
  [[], '8.3', 'Devuan', '8.3'],
  [[], '8.3', '', '8.3'],
])('of %j with the setting %s on %s, a site gets PHP %s', (versions, setting, os, php) => {
  expect(defaultPhp(versions, setting, os)).toBe(php)
})
