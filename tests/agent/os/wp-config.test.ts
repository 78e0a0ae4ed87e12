import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseWpConfig } from '#agent/os/wp-config.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { runs } from '#tests/support/runs.ts'

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
  ["#[Attribute]\ndefine('X', 'a');", 'a'],
  ["$text = <<<EOT\ndefine('X', 'no');\nEOT;\ndefine('X', 'a');", 'a'],
  ["$text = <<<'EOT'\n  define('X', 'no');\n  EOT;\ndefine('X', 'a');", 'a'],
])('reads %s', (source, value) => {
  expect(constant(source)).toBe(value)
})

test.each([
  "define('X', getenv('X'));",
  "define('X', $x);",
  "define('X', 'a' . 'b');",
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

test('reads every password that is written as PHP writes it', () => {
  const text = fc.string({ unit: anyCharacter })
  fc.assert(
    fc.property(text, (password) => {
      const single = password.replace(/[\\']/g, '\\$&')
      const double = password.replace(/[\\"$]/g, '\\$&')

      expect(constant(`define('X', '${single}');`)).toBe(password)
      expect(constant(`define("X", "${double}");`)).toBe(password)
    }),
    runs(),
  )
})

test('never finds a constant in comments, strings and HTML', () => {
  const hidden = "define('X', 'no');"
  const text = fc.string().map((part) => part.replace(/[*'"?<>\n\r\\]/g, ''))
  fc.assert(
    fc.property(text, fc.constantFrom('/*', '//', '#', "'", '"', '?>'), (part, start) => {
      const inner = start === "'" ? hidden.replaceAll("'", '"') : hidden
      expect(constant(`${start} ${part} ${inner}`)).toBeUndefined()
    }),
    runs(),
  )
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
