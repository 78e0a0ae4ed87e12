import { expect, test } from 'bun:test'
import { DEBUG_PHP_TEXT, STAGING_DEBUG_PHP_TEXT } from '#agent/kernel/sandbox/debug-php.ts'

test.each([
  ['fn(', 'PHP 7.4'],
  ['??', 'PHP 7.0'],
  ['\n(function', 'PHP 7.0'],
  ['PHP_INT_MIN', 'PHP 7.0'],
])('the program has no %j (%s): a site may have PHP 5.6', (syntax) => {
  expect(DEBUG_PHP_TEXT).not.toContain(syntax)
})

test('the file that .user.ini of a live site prepends is still run, once and in the global scope', () => {
  const own = DEBUG_PHP_TEXT.split('\n').filter((line) => line.includes('$hosting_own'))

  expect(own).toEqual([
    "  $hosting_own = @parse_ini_string((string) @file_get_contents($_SERVER['DOCUMENT_ROOT'] . '/.user.ini'));",
    "  $hosting_own = isset($hosting_own['auto_prepend_file']) ? $hosting_own['auto_prepend_file'] : '';",
    "  if (is_string($hosting_own) && $hosting_own !== '' && stream_resolve_include_path($hosting_own)) {",
    '    require_once $hosting_own;',
    '  unset($hosting_own);',
  ])
  expect(DEBUG_PHP_TEXT).toContain("\n});\nif (getenv('WP_ENVIRONMENT_TYPE') !== 'staging') {\n")
  expect(STAGING_DEBUG_PHP_TEXT).not.toContain('.user.ini')
})
