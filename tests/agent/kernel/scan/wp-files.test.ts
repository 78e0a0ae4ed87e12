import { expect, test } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import fc from 'fast-check'
import { metricsReader, parseStat } from '#agent/features/servers/metrics.ts'
import { phpTokens } from '#agent/kernel/scan/php-tokens.ts'
import { openSite, readWpConfig } from '#agent/kernel/scan/site-root.ts'
import { parseWpConfig } from '#agent/kernel/scan/wp-config.ts'
import { extensionsOf, versionIn } from '#agent/kernel/scan/wp-files.ts'
import { pluginHeaders, themeHeaders } from '#agent/kernel/scan/wp-headers.ts'
import { compareVersions } from '#agent/kernel/scan/wp-updates.ts'
import { parseCertificate } from '#agent/kernel/site/certificate-files.ts'
import { Metrics } from '#shared/servers/agent.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { eachFolder } from '#tests/support/each-folder.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { forAll } from '#tests/support/for-all.ts'
import { fill, rootedTree } from '#tests/support/rooted-files.ts'
import { runs } from '#tests/support/runs.ts'

const DOCROOT = '/srv/www/shop/public'
const PLUGINS = `${DOCROOT}/wp-content/plugins`
const THEMES = `${DOCROOT}/wp-content/themes`

let root = ''
eachFolder((path) => {
  root = path
})

const plugin = (name: string, version: string) =>
  `<?php\n/**\n * Plugin Name: ${name}\n * Version: ${version}\n */\n`
const theme = (name: string, version: string, template = '') =>
  `/*\nTheme Name: ${name}\nVersion: ${version}\n${template && `Template: ${template}\n`}*/\n`

function found(files: Record<string, string>) {
  fill(root, files)
  const site = openSite(rootedTree(root), DOCROOT)
  if (!site) return undefined
  const config = readWpConfig(site)
  const { plugins, themes, cached, gaps } = extensionsOf(
    site,
    typeof config === 'string' ? undefined : config,
  )
  return {
    version: site.version,
    cached,
    gaps,
    plugins: plugins.map(({ file, name, version }) => [file, name, version]).sort(),
    themes: themes.map(({ slug, version }) => [slug, version]).sort(),
  }
}

test('finds the plugins that get_plugins() finds', () => {
  const files = {
    'akismet/akismet.php': plugin('Akismet', '5.7.2'),
    'akismet/class.php': '<?php\nclass Akismet {}\n',
    'akismet/views/page.php': plugin('Too deep', '1'),
    'hello.php': plugin('Hello Dolly', '1.7.2'),
    'index.php': '<?php\n',
    'mac/mac.php': '<?php\r/*\rPlugin Name: Mac\rVersion: 3.1\r*/\r',
    'late/late.php': `<?php\n${' '.repeat(8192)}\n/*\nPlugin Name: Late\n*/\n`,
    '.hidden/hidden.php': plugin('Hidden', '1'),
    'text/readme.txt': 'Plugin Name: Text',
    'two/a.php': plugin('A', '1'),
    'two/b.php': plugin('B', '2'),
  }
  const placed = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${PLUGINS}/${path}`, text]),
  )
  const others = { 'mu-plugins/must.php': plugin('Must', '1'), 'db.php': plugin('Drop-in', '1') }
  for (const [path, text] of Object.entries(others)) placed[`${DOCROOT}/wp-content/${path}`] = text

  expect(found(placed)?.plugins).toEqual([
    ['akismet/akismet.php', 'Akismet', '5.7.2'],
    ['hello.php', 'Hello Dolly', '1.7.2'],
    ['mac/mac.php', 'Mac', '3.1'],
    ['two/a.php', 'A', '1'],
    ['two/b.php', 'B', '2'],
  ])
})

test('finds the themes that wp_get_themes() shows', () => {
  const files = {
    'classic/style.css': theme('Classic', '1.0'),
    'classic/index.php': '<?php\n',
    'block/style.css': theme('Block', '2.0'),
    'block/templates/index.html': '',
    'child/style.css': theme('Child', '0.1', 'classic'),
    'child/index.php': '<?php\n',
    'grandchild/style.css': theme('Grandchild', '0.1', 'child'),
    'orphan/style.css': theme('Orphan', '0.1', 'nobody'),
    'self/style.css': theme('Self', '0.1', 'self'),
    'bare/style.css': theme('Bare', '1.0'),
    'empty/readme.txt': '',
    'folder/nested/style.css': theme('Nested', '4.2'),
    'folder/nested/index.php': '<?php\n',
    'folder/beside/style.css': theme('Beside', '4.3', 'nested'),
  }
  const placed = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${THEMES}/${path}`, text]),
  )

  expect(found(placed)?.themes).toEqual([
    ['block', '2.0'],
    ['child', '0.1'],
    ['classic', '1.0'],
    ['folder/beside', '4.3'],
    ['folder/nested', '4.2'],
  ])
})

test('follows literal paths of wp-config.php near the docroot only', () => {
  const config = (constant: string, path: string) => ({
    [`${DOCROOT}/wp-config.php`]: `<?php define('${constant}', '${path}');`,
    '/srv/www/shop/content/plugins/near/near.php': plugin('Near', '1'),
    '/srv/www/other/plugins/far/far.php': plugin('Far', '1'),
    [`${DOCROOT}/app/inner/inner.php`]: plugin('Inner', '1'),
  })
  const names = (constant: string, path: string) =>
    found(config(constant, path))?.plugins.map(([, name]) => name)

  expect(names('WP_CONTENT_DIR', '/srv/www/shop/content')).toEqual(['Near'])
  expect(names('WP_PLUGIN_DIR', `${DOCROOT}/app/`)).toEqual(['Inner'])
  expect(names('WP_PLUGIN_DIR', '/srv/www/other/plugins')).toEqual([])
  expect(names('WP_PLUGIN_DIR', '/srv/www/shop/../other/plugins')).toEqual([])
})

test('reads the version of the core, and detects an object cache', () => {
  const files = {
    [`${DOCROOT}/wp-includes/version.php`]: "<?php\n$wp_version = '7.1.1';\n",
    [`${DOCROOT}/wp-content/object-cache.php`]: '<?php\n',
  }

  expect(found(files)).toMatchObject({ version: '7.1.1', cached: true })
  expect(found({ [`${DOCROOT}/wp-includes/version.php`]: '<?php evil()' })?.version).toBeUndefined()
})

test('reads wp-config.php above the docroot unless that is another WordPress', () => {
  fill(root, { [`${DOCROOT}/index.php`]: '', '/srv/www/shop/wp-config.php': '<?php const A = 1;' })
  const site = openSite(rootedTree(root), DOCROOT)
  if (!site) throw new Error('no site')

  expect(readWpConfig(site)).toMatchObject({ constants: new Map([['A', 1]]) })
  fill(root, { '/srv/www/shop/wp-settings.php': '' })
  expect(readWpConfig(site)).toBe('none')
})

test('follows no link that a site can create', () => {
  fill(root, {
    '/secret/plugins/spy/spy.php': plugin('Spy', '1'),
    '/secret/spy.php': plugin('Spy', '1'),
    [`${DOCROOT}/wp-content/index.php`]: '',
  })
  symlinkSync(`${root}/secret/plugins`, `${root}${PLUGINS}`)
  expect(found({})?.plugins).toEqual([])

  rmSync(`${root}${PLUGINS}`)
  fill(root, { [`${PLUGINS}/index.php`]: '' })
  symlinkSync(`${root}/secret/spy.php`, `${root}${PLUGINS}/spy.php`)
  symlinkSync(`${root}/secret/plugins/spy`, `${root}${PLUGINS}/spy`)
  expect(found({})?.plugins).toEqual([])
})

test.each([
  ['<?php /* Plugin Name: One line */', { name: 'One line', version: '' }],
  ['<?\n# PLUGIN NAME:Shout ?> more\n@version:\t1.0 */', { name: 'Shout', version: '1.0' }],
  ['// Plugin Name: A\nPlugin Name: B\nVersion: 1', { name: 'A', version: '1' }],
  ['Plugin Name: A\nVersion:0', { name: 'A', version: '' }],
  ['Plugin Name:\nPlugin Name: B', undefined],
  ['echo "Plugin Name: A"', undefined],
])('reads the headers of %j', (text, headers) => {
  expect(pluginHeaders(text)).toEqual(headers && { ...headers, template: '' })
})

test('reads every name in a header, whatever surrounds it', () => {
  const edge = fc.constantFrom('', ' ', ' * ', '\t# ', '/** ', '@', '<?php ')
  const name = fc.stringMatching(/^[A-Za-z][\w&'é-]{0,30}$/)
  forAll(edge, name, fc.constantFrom('\n', '\r\n', '\r'), (before, value, line) => {
    const text = `<?php${line}${before}Plugin Name: ${value} */${line}`
    expect(pluginHeaders(text)?.name).toBe(value)
  })
})

test('reads a name behind 8 KiB of blanks, and none out of blanks alone', () => {
  const late = { name: 'x', version: '', template: '' }

  expect(pluginHeaders(`Plugin Name:${' \t'.repeat(4090)}x`)).toEqual(late)
  expect(pluginHeaders(' \t'.repeat(4096))).toBeUndefined()
})

/** What a site's owner could write: pieces that mean something, and anything at all between them. */
const pieces = (...known: string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...known), fc.string({ unit: anyCharacter, maxLength: 8 })), {
      maxLength: 30,
    })
    .map((parts) => parts.join(''))

const php = pieces(
  ...['<?php ', '?>', "define('", "', '", "');", 'const X = ', '$table_prefix = ', '"', "'", '\\'],
  ...[
    '/*',
    '*/',
    '//',
    '#',
    '\n',
    '<<<A\n',
    '\nA;',
    '{',
    '}',
    '(',
    ')',
    ';',
    'if (1) ',
    '${',
    '__proto__',
  ],
)

test('reads no constant that the wp-config.php does not contain', () => {
  forAll(php, (source) => {
    const { constants, table_prefix } = parseWpConfig(source)
    for (const [name, value] of constants) {
      expect(['string', 'number', 'boolean']).toContain(typeof value)
      if (source.includes('\\') || typeof value !== 'string') continue
      expect(source).toContain(name)
      expect(source).toContain(value)
    }
    if (!source.includes('\\')) expect(source).toContain(table_prefix ?? '')
  })
})

test('splits any PHP into tokens of its text', () => {
  forAll(php, (source) => {
    for (const { kind, text } of phpTokens(source))
      if (kind !== 'string' && kind !== 'open') expect(source).toContain(text ?? '')
  })
})

test('reads the version of WordPress as PHP does, if it is valid', () => {
  const part = fc.oneof(fc.constantFrom("'", '"', '6.8', '.', '-RC1', '\n', '\\'), fc.string())
  const value = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''))
  const code = fc.constantFrom('', ' ', '\t', '\n', '\r', '//\r', '#\n')
  const none = fc.constantFrom('//', '# ', '\u2028', '//\u2028', '\u00a0', 'x')
  const before = fc.oneof(
    code.map((text) => ({ text, isCode: true })),
    none.map((text) => ({ text, isCode: false })),
  )
  forAll(before, fc.constantFrom("'", '"'), value, ({ text, isCode }, quote, inner) => {
    const rest = `${inner}${quote};`
    const version = new RegExp(`^([\\w.+-]{1,64})${quote}[ \\t\\r\\n]*;`).exec(rest)?.[1]

    expect(versionIn(`<?php\n${text}$wp_version = ${quote}${rest}`)).toBe(
      isCode ? version : undefined,
    )
  })
})

test('reads only single lines of the file as headers', () => {
  const head = pieces(
    '/*',
    '*/',
    'Plugin Name:',
    'Theme Name:',
    'Version:',
    'Template:',
    '\n',
    '\r',
  )

  forAll(head, (text) => {
    const found = [pluginHeaders(text), themeHeaders(text)].flatMap((each) =>
      Object.values(each ?? {}),
    )
    for (const value of found) {
      expect(text.replaceAll('\r', '\n')).toContain(value)
      expect(value).not.toMatch(/\n|\*\/|\?>/)
    }
  })
})

test('orders any two versions, and equals itself', () => {
  const version = pieces('1', '.', '-', 'alpha', 'beta', 'RC', 'dev', '0')

  forAll(version, version, (one, other) => {
    expect(compareVersions(one, one)).toBe(0)
    expect(compareVersions(one, other)).toBe(-compareVersions(other, one) + 0)
  })
})

test('accepts only certificates', () => {
  const pem = pieces('-----BEGIN CERTIFICATE-----\n', '-----END CERTIFICATE-----\n', 'MIIB', 'AAAA')

  forAll(pem, (text) => {
    expect(parseCertificate(text)).toBeUndefined()
  })
})

const proc = pieces(
  'cpu ',
  'MemTotal: ',
  'MemAvailable: ',
  ' kB\n',
  '12 ',
  '0.5 ',
  '-1 ',
  '1e999 ',
  '\n',
)

test('counts numeric ticks for any /proc/stat', () => {
  forAll(proc, (text) => {
    const { busy, total } = parseStat(text)
    expect([busy, total].every(Number.isFinite)).toBe(true)
  })
})

test('reports metrics of the contract for any broken files of /proc', async () => {
  // The kernel writes no sign and no exponent; with them the dashboard refuses the metrics.
  const unsigned = proc.map((text) => text.replace(/[-e]/g, ''))
  const files = ['/proc/stat', '/proc/meminfo', '/proc/loadavg', '/proc/uptime', '/etc/os-release']

  await fc.assert(
    fc.asyncProperty(fc.array(unsigned, { minLength: 5, maxLength: 5 }), async (texts) => {
      const host = fakeHost()
      for (const [at, path] of files.entries()) await host.disk.write(path, texts[at] ?? '')
      const metrics = await metricsReader(host)()
      expect(Metrics.safeParse(metrics).error).toBeUndefined()
    }),
    runs(),
  )
})
