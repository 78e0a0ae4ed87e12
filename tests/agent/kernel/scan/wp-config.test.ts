import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseWpConfig } from '#agent/kernel/scan/wp-config.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'

const constant = (source: string, name = 'X') =>
  parseWpConfig(`<?php\n${source}`).constants.get(name)

test.each([
  ["define('X', 'plain');", 'plain'],
  ['define("X", "plain");', 'plain'],
  ["DEFINE ( 'X' , 'spaced' ) ;", 'spaced'],
  ["\\define('X', 'a');", 'a'],
  ["define('X', 'it\\'s \\\\ and \\n');", "it's \\ and \\n"],
  ['define("X", "tab\\t\\"q\\" \\$ \\x41\\101\\u{e9}\\q");', 'tab\t"q" $ AAé\\q'],
  ['define("X", "costs $5");', 'costs $5'],
  ["define('X', true);", true],
  ["define('X', FALSE);", false],
  ["define('X', 42);", 42],
  ["define('X', 'a', false);", 'a'],
  ["const X = 'a';", 'a'],
  ["define('X', 'first'); define('X', 'second');", 'first'],
  ["if (!defined('X')) { define('X', 'guarded'); }", 'guarded'],
  ["defined('X') or define('X', 'guarded');", 'guarded'],
  ["// define('X', 'no');\n# define('X', 'no');\n/* define('X', 'no'); */ define('X', 'a');", 'a'],
  ["// ended ?> <?php define('X', 'a');", 'a'],
  ["define('X', 'a');\n#[Attribute]\nfunction f() {}", 'a'],
  ["$text = <<<EOT\ndefine('X', 'no');\nEOT;\ndefine('X', 'a');", 'a'],
  ["$text = <<<'EOT'\n  define('X', 'no');\n  EOT;\ndefine('X', 'a');", 'a'],
])('reads %s', (source, value) => {
  expect(constant(source)).toBe(value)
})

test.each([
  ["define('X', 'a' . 'b' . 1);", 'ab1'],
  ["const A = 'a'; define('X', A . '/b');", 'a/b'],
  ["define('X', <<<'EOT'\nit's $5\nEOT\n);", "it's $5"],
  ["define('X', <<<EOT\ntwo\nlines\nEOT\n);", 'two\nlines'],
  ["define('X', dirname(__FILE__) . '/content');", '/srv/www/shop/content'],
  ["define('X', __DIR__ . '/content');", '/srv/www/shop/content'],
  ["define('X', dirname(__DIR__, 2) . '/content');", '/srv/content'],
  ["define('X', ABSPATH . 'content');", '/srv/www/shop/wp/content'],
  ["if (isset($_SERVER['HTTPS'])) { $_SERVER['HTTPS'] = 'on'; } define('X', 'a');", 'a'],
  ["@ini_set('display_errors', 0); define('X', 'a');", 'a'],
  ["if (!defined('X')) define('X', 'a');", 'a'],
  ["define('X', 'a'); require_once ABSPATH . 'wp-settings.php'; include 'x';", 'a'],
  ["define('X', 'a'); include 'later.php';", 'a'],
  ["define('WP_HOME', 'http://' . $_SERVER['HTTP_HOST']); define('X', 'a');", 'a'],
])('computes %s', (source, value) => {
  const place = { file: '/srv/www/shop/wp-config.php', abspath: '/srv/www/shop/wp/' }

  expect(parseWpConfig(`<?php\n${source}`, place).constants.get('X')).toBe(value)
})

test.each([
  "@include 'secrets.php'; defined('X') || define('X', 'changeme');",
  "include 'secrets.php'; define('X', 'a');",
  "if (file_exists('local.php')) include 'local.php'; else { define('X', 'old'); }",
  "if ($local) define('X', 'a'); define('X', 'b');",
  "if ($local) { define('X', 'same'); } else { define('X', 'same'); }",
  "while ($more) { define('X', 'a'); }",
  "function f() { define('X', 'a'); }",
  "setup(); define('X', 'a');",
  "$setup(); define('X', 'a');",
  "(function () { define('X', 'a'); })(); define('X', 'b');",
  "App::boot(); define('X', 'a');",
  "new App; define('X', 'a');",
  "eval($code); define('X', 'a');",
  "define($name, 'a'); define('X', 'b');",
  "exit; define('X', 'a');",
  "return; define('X', 'a');",
  "goto end; define('X', 'a'); end: ;",
  "if ($a): endif; define('X', 'a');",
  "define('X', 0777);",
  "define('X', 1.5);",
  "define('X', -1);",
  "define('X', 'a' . $b);",
  "define('X', __DIR__ . '/content');",
  "define('X', $a ? 'a' : 'b');",
  "define('X', 'a') or die();",
  "const A = 1, X = 2; define('X', 'a');",
  "namespace A; const X = 'a';",
])('has no value that only running the code would reveal: %s', (source) => {
  const { constants, unsure } = parseWpConfig(`<?php ${source.replace(/\bX\b/g, 'DB_NAME')}`)

  expect([constants.get('DB_NAME'), unsure.has('DB_NAME')]).toEqual([undefined, true])
})

test('reports an undefined constant with certainty when no unknown code runs', () => {
  expect([...parseWpConfig("<?php define('DB_NAME', 'a');").unsure]).toEqual([])
  expect(parseWpConfig("<?php include 'a.php';").unsure.has('WP_CONTENT_DIR')).toBe(true)
})

test.each([
  "$table_prefix = 'a_'; include 'b.php';",
  "$table_prefix = 'a_'; $p = &$table_prefix; $p = 'b_';",
  "$table_prefix = 'a_'; if ($b) $table_prefix = 'b_';",
  "$table_prefix = 'a_'; $GLOBALS['table_prefix'] = 'b_';",
  "$table_prefix = 'a_'; $$name = 'b_';",
])('has no table prefix of %s', (source) => {
  const { table_prefix, unsure } = parseWpConfig(`<?php ${source}`)

  expect([table_prefix, unsure.has('$table_prefix')]).toEqual([undefined, true])
})

test('has the table prefix that is set after an include', () => {
  expect(parseWpConfig("<?php include 'b.php'; $table_prefix = 'a_';").table_prefix).toBe('a_')
})

test('has no value that an earlier statement may have set, whatever is between them', () => {
  const harmless = fc.constantFrom(
    "ini_set('a', 'b');",
    'if ($a) { $b = 1; } else { $c = 2; }',
    "define('OTHER', 'x');",
    '$d = function () { $e = 1; };',
    '/* } */',
    'foreach ($a as $b) { if ($b) { continue; } }',
  )
  const unsafe = fc.constantFrom(
    "if ($a) { define('X', 'no'); }",
    "if ($a) define('X', 'no'); else $b = 1;",
    "include 'a.php';",
    "$a and define('X', 'no');",
    'f();',
    "try { define('X', 'no'); } finally { }",
    "switch ($a) { case 1: define('X', 'no'); }",
  )
  const code = fc.array(harmless, { maxLength: 5 }).map((parts) => parts.join('\n'))
  forAll(code, unsafe, code, fc.boolean(), (before, danger, between, is_there) => {
    const source = `${before}\n${is_there ? danger : ''}\n${between}\ndefine('X', 'yes');`
    expect(constant(source)).toBe(is_there ? undefined : 'yes')
  })
})

test.each([
  "define('X', getenv('X'));",
  "define('X', $x);",
  'define("X", "a$b");',
  'define("X", "a{$b}");',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is PHP's own interpolation
  'define("X", "a${b}");',
  'define("X", "\\xff");',
  "define('X', PHP_OS);",
  "define('X', `date`);",
  "define($name, 'a');",
  "$config->define('X', 'a');",
  "Config::define('X', 'a');",
  "function define('X', 'a')",
  "if ($local) { define('X', 'one'); } else { define('X', 'two'); }",
  "if ($local) define('X', 'one'); else define('X', 'two');",
  "if ($local): define('X', 'one'); else: define('X', 'two'); endif;",
  "define('X', 'unclosed",
  "?> define('X', 'html');",
  '\'define("X", "a")\';',
])('has no value for %s', (source) => {
  expect(constant(source)).toBeUndefined()
})

test('reads the table prefix, the last one that is set', () => {
  const prefix = (source: string) => parseWpConfig(`<?php ${source}`).table_prefix

  expect(prefix("$table_prefix  = 'wp_';")).toBe('wp_')
  expect(prefix('$table_prefix = "a_"; $table_prefix = "b_";')).toBe('b_')
  expect(prefix("$table_prefix = getenv('PREFIX');")).toBeUndefined()
  expect(prefix("if ($a) $table_prefix = 'a_'; else $table_prefix = 'b_';")).toBeUndefined()
  expect(prefix("if ($table_prefix == 'a_') {}")).toBeUndefined()
})

test('reads every password in the notation of PHP', () => {
  const text = fc.string({ unit: anyCharacter })
  forAll(text, (password) => {
    const single = password.replace(/[\\']/g, '\\$&')
    const double = password.replace(/[\\"$]/g, '\\$&')

    expect(constant(`define('X', '${single}');`)).toBe(password)
    expect(constant(`define("X", "${double}");`)).toBe(password)
  })
})

test('never finds a constant in comments, strings and HTML', () => {
  const hidden = "define('X', 'no');"
  const text = fc.string().map((part) => part.replace(/[*'"?<>\n\r\\]/g, ''))
  forAll(text, fc.constantFrom('/*', '//', '#', "'", '"', '?>'), (part, start) => {
    const inner = start === "'" ? hidden.replaceAll("'", '"') : hidden
    expect(constant(`${start} ${part} ${inner}`)).toBeUndefined()
  })
})

test.each([
  ['an unclosed string of escapes', "<?php '\\".repeat(300_000)],
  ['backslashes', `<?php ${'\\'.repeat(1_000_000)}`],
  ['comments', `<?php ${'/*'.repeat(500_000)}`],
  ['openings', `<?php ${'?><?php '.repeat(120_000)}`],
  ['heredocs', `<?php ${'<<<A\n'.repeat(200_000)}`],
  ['calls', `<?php ${'define('.repeat(140_000)}`],
  ['braces in a string', `<?php "${'{'.repeat(1_000_000)}"`],
])('finds nothing in a megabyte of %s, and ends', (_, source) => {
  expect(parseWpConfig(source).constants.size).toBe(0)
})
