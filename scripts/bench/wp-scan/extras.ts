import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** The number of added plugins; a usual site has about twenty. */
const PLUGINS = 16

/** Files that turn a fresh site into a usual one, with each special case of a scan. */
export async function addExtras(docroot: string): Promise<void> {
  const content = join(docroot, 'wp-content')
  for (const [path, text] of Object.entries(EXTRAS)) await put(join(content, path), text)
  for (let number = 1; number <= PLUGINS; number++) {
    const folder = join(content, `plugins/extra-${number}`)
    await put(join(folder, `extra-${number}.php`), header(`Extra ${number}`, `1.${number}`))
    await put(join(folder, 'uninstall.php'), '<?php\nexit;\n')
    await put(join(folder, 'includes/class-extra.php'), header('Too deep', '9.9'))
  }
}

const header = (name: string, version: string) =>
  `<?php\n/**\n * Plugin Name: ${name}\n * Version: ${version}\n * Description: One of many.\n */\n`

const EXTRAS: Record<string, string> = {
  'plugins/single.php': header('Single file', '2.0'),
  'plugins/index.php': '<?php\n// Silence is golden.\n',
  'plugins/mac/mac.php': "<?php\r/*\rPlugin Name: Café d'été\rVersion: 3.1\r*/\r",
  'plugins/one-line/one-line.php': '<?php /* Plugin Name: One line */ // Version: none\n',
  'plugins/pair/first.php': header('First of two', '1.0'),
  'plugins/pair/second.php': header('Second of two', '1.1'),
  'plugins/late/late.php': `<?php\n${'// filler\n'.repeat(1000)}${header('Too late', '1.0')}`,
  'plugins/.hidden/hidden.php': header('Hidden', '1.0'),
  'plugins/shout/shout.php': '<?php\n# PLUGIN NAME: Shout ?> \n# version: 1.0-beta2 */ rest\n',
  'mu-plugins/must.php': header('Must use', '1.0'),
  'advanced-cache.php': '<?php\n/* Plugin Name: Drop-in */\n',
  'themes/child/style.css': '/*\nTheme Name: Child\nTemplate: twentytwentyfive\nVersion: 0.1\n*/\n',
  'themes/orphan/style.css': '/*\nTheme Name: Orphan\nTemplate: nobody\nVersion: 0.1\n*/\n',
  'themes/grandchild/style.css': '/*\nTheme Name: Grandchild\nTemplate: child\nVersion: 1\n*/\n',
  'themes/child/index.php': '<?php\n',
  'themes/empty/readme.txt': 'no stylesheet',
  'themes/bare/style.css': '/*\nTheme Name: Bare\nVersion: 1.0\n*/\n',
  'themes/folder/nested/style.css': '/*\nTheme Name: Nested\nVersion: 4.2\n*/\n',
  'themes/folder/nested/index.php': '<?php\n',
}

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}
