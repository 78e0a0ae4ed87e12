import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { wordpressFailure } from '#agent/features/wordpress/failure.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { forAll } from '#tests/support/for-all.ts'

const SITE = '/srv/www/shop/public'
const AFTER =
  'Error: There has been a critical error on this website.Learn more about troubleshooting WordPress. There has been a critical error on this website.\n'
const TRACE = `Stack trace:
#0 ${SITE}/wp-settings.php(597): include_once()
#1 {main}
`
const failure = (stderr: string, code = 1) =>
  wordpressFailure(shop, { code, stdout: '', stderr }, 'The users were not read').body

/** The output of WP-CLI 2.12 on PHP 8.2. */
test.each([
  [
    'a plugin that does not parse',
    `PHP Parse error:  syntax error, unexpected identifier "hunter2" in ${SITE}/wp-content/plugins/bad/bad.php on line 3\nParse error: syntax error, unexpected identifier "hunter2" in ${SITE}/wp-content/plugins/bad/bad.php on line 3\n${AFTER}`,
    'a syntax error in the plugin bad (wp-content/plugins/bad/bad.php, line 3)',
    'rename wp-content/plugins/bad to turn it off, or restore a backup',
  ],
  [
    'an exception, whose text may have a password',
    `PHP Fatal error:  Uncaught Exception: password hunter2 in ${SITE}/wp-content/themes/old/functions.php:3\n${TRACE}  thrown in ${SITE}/wp-content/themes/old/functions.php on line 3\n${AFTER}`,
    'an error that nothing catches in the theme old (wp-content/themes/old/functions.php, line 3)',
    'rename wp-content/themes/old to turn it off, or restore a backup',
  ],
  [
    'an exception with several lines',
    `PHP Fatal error:  Uncaught Exception: one\nhunter2 in /elsewhere:4\n${TRACE}  thrown in ${SITE}/wp-content/mu-plugins/m.php on line 7\n`,
    'an error that nothing catches in the must-use plugin m.php (wp-content/mu-plugins/m.php, line 7)',
    'rename wp-content/mu-plugins/m.php to turn it off, or restore a backup',
  ],
  [
    'too little memory',
    `PHP Fatal error:  Allowed memory size of 536870912 bytes exhausted (tried to allocate 266342400 bytes) in ${SITE}/wp-content/plugins/hello.php on line 3\n`,
    'an error at its memory limit in the plugin hello (wp-content/plugins/hello.php, line 3)',
    'rename wp-content/plugins/hello.php to turn it off, or restore a backup',
  ],
  [
    'a missing file of WordPress',
    `PHP Warning:  require_once(${SITE}/wp-includes/plugin.php): Failed to open stream: No such file or directory in ${SITE}/wp-settings.php on line 53\nPHP Fatal error:  Uncaught Error: Failed opening required '${SITE}/wp-includes/plugin.php' (include_path='.:/usr/share/php') in ${SITE}/wp-settings.php:53\n${TRACE}  thrown in ${SITE}/wp-settings.php on line 53\n`,
    'an error that nothing catches (wp-settings.php, line 53)',
    'correct it, or restore a backup',
  ],
  [
    'a place outside the site',
    'PHP Fatal error:  no hunter2 in /etc/passwd on line 1\n',
    'a fatal error',
    'correct it, or restore a backup',
  ],
  [
    'a place that a site has made up',
    `PHP Fatal error:  no in ${SITE}/wp-content/plugins/<b>/../../hunter2 on line 1\n`,
    'a fatal error',
    'correct it, or restore a backup',
  ],
])('names %s without its text', (_, stderr, what, remedy) => {
  const { code, error, message } = failure(stderr)

  expect({ code, error }).toEqual({ code: 'wordpress_fatal', error: 'Conflict' })
  expect(message).toBe(
    `The users were not read: WordPress of the site stops with ${what}. The error log of the site has its text; ${remedy}`,
  )
})

test('passes on what wp-cli says about another problem', () => {
  expect(failure('Error: Error establishing a database connection.\n')).toEqual({
    error: 'Conflict',
    message: 'The users were not read: Error: Error establishing a database connection.',
    code: 'wordpress_failed',
  })
})

test('leaves the code of a full disk to the operation', () => {
  const stderr =
    'Error: it was not written: file_put_contents(): Errno=28 No space left on device\n'

  expect(failure(stderr)).toEqual({
    error: 'Conflict',
    message:
      'The users were not read: Error: it was not written: file_put_contents(): Errno=28 No space left on device',
  })
})

test('is a short sentence for any output', () => {
  forAll(
    fc.string(),
    fc.constantFrom('', 'PHP Fatal error:  ', 'Parse error: '),
    (text, before) => {
      const { message = '' } = failure(`${before}${text}`)
      expect(message.length).toBeLessThan(800)
    },
  )
})
