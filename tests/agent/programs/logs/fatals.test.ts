import { expect, test } from 'bun:test'
import { causeOf, groupFatals } from '#agent/programs/logs/fatals.ts'
import { logFolder, requestFor, writeLog } from '#tests/support/agent/logs.ts'

const CONTENT = '/srv/www/shop/public/wp-content'
const error = (second: number, text: string) => `[01-Jan-2026 09:30:0${second} UTC] ${text}\n`
const fatal = (file: string) =>
  `PHP Fatal error:  Uncaught Error: no x in ${file}:7\nStack trace:\n`

test('counts the fatal errors of each plugin and theme, most frequent first', async () => {
  const path = `${logFolder()}/php-error.log`
  const slider = `${fatal(`${CONTENT}/plugins/slider/slider.php`)}#0 {main}`
  const theme = `${fatal('/srv/www/shop/public/wp-includes/post.php')}#0 ${CONTENT}/themes/shop/a.php(1): x()`
  writeLog(
    path,
    error(1, slider) + error(2, theme) + error(3, 'PHP Warning:  a') + error(4, slider),
  )

  const answer = await groupFatals(requestFor({ what: 'fatals', source: 'php', paths: [path] }))

  expect(answer).toEqual({
    groups: [
      {
        ...{ kind: 'plugin', slug: 'slider', count: 2, text: slider },
        ...{ first_at: '2026-01-01T09:30:01.000Z', last_at: '2026-01-01T09:30:04.000Z' },
      },
      {
        ...{ kind: 'theme', slug: 'shop', count: 1, text: theme },
        ...{ first_at: '2026-01-01T09:30:02.000Z', last_at: '2026-01-01T09:30:02.000Z' },
      },
    ],
    is_complete: true,
    looked: {
      bytes: expect.any(Number),
      files: 1,
      unread: 0,
      oldest_at: '2026-01-01T09:30:01.000Z',
    },
  })
})

test.each([
  [`in ${CONTENT}/plugins/hello.php:7`, 'plugin', 'hello'],
  [`in ${CONTENT}/mu-plugins/limits.php:7`, 'must-use plugin', 'limits'],
  [`in ${CONTENT}/plugins/a b/x.php`, 'plugin', 'a'],
  ['in /srv/www/shop/public/wp-includes/load.php:7', 'core', ''],
  ['in /srv/www/shop/public/wp-load.php:7', 'core', ''],
  ['in /srv/www/shop/public/own.php:7', 'other', ''],
  ['Allowed memory size of 1 bytes exhausted', 'other', ''],
])('%s is the fault of %s %s', (text, kind, slug) => {
  expect(causeOf(`PHP Fatal error:  x ${text}`)).toEqual({ kind: kind as 'plugin', slug })
})
