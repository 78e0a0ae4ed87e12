import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import type { Attack } from './tenants.ts'
import { MINUTES } from './world.ts'

const RENAMES = 400_000

/**
 * Swaps files and folders of the site with links that lead out of it, to paths that only the
 * programs of a site cannot read.
 */
const SWAP = `
$pairs = ['wp-config.php' => '/etc/nginx/outside/wp-config.php', 'wp-content/plugins' => '/etc/nginx/outside/plugins',
  'wp-content/themes' => '/etc/nginx/outside/themes', 'wp-includes' => '/etc/nginx/outside/wp-includes'];
foreach ($pairs as $path => $target) { @unlink("$path.link"); symlink($target, "$path.link"); }
echo "ready\\n";
for ($done = 0; $done < ${RENAMES}; ) foreach ($pairs as $path => $target) {
  rename($path, "$path.own"); rename("$path.link", $path);
  rename($path, "$path.link"); rename("$path.own", $path);
  $done += 4;
}
foreach ($pairs as $path => $target) unlink("$path.link");
echo "over\\n";`

const OUTSIDE = {
  'wp-config.php': "<?php define('DB_PASSWORD', 'OUTSIDE'); define('DB_NAME', 'OUTSIDE');",
  'plugins/spy/spy.php': '<?php\n/* Plugin Name: OUTSIDE\nVersion: 1 */',
  'themes/spy/style.css': '/*\nTheme Name: OUTSIDE\nVersion: 1\n*/',
  'themes/spy/index.php': '<?php',
  'wp-includes/version.php': "<?php\n$wp_version = '6.6.6-OUTSIDE';\n",
}

export function raced(attack: Attack): void {
  test(
    `${RENAMES} renames and links during scans reveal nothing from outside`,
    async () => {
      const { tenants, evil } = attack
      for (const [path, text] of Object.entries(OUTSIDE))
        await tenants.host.put(`/etc/nginx/outside/${path}`, text)
      const swap = tenants.asInBackground(evil, ['php', '-r', SWAP])
      await poll(() => swap.output().includes('ready'))
      const answers: string[] = []

      while (!swap.output().includes('over')) {
        answers.push(await tenants.password(evil))
        await tenants.sync()
        answers.push(JSON.stringify(await tenants.found(evil)))
        const { log, inventory } = await tenants.scan(evil)
        answers.push(log, JSON.stringify(inventory))
      }

      expect(await swap.exited).toBe(0)
      expect(answers.length).toBeGreaterThan(8)
      expect(answers.filter((text) => /OUTSIDE|6\.6\.6|spy|root:x/.test(text))).toEqual([])
      expect(await tenants.password(evil)).toBe(evil.password)
    },
    10 * MINUTES,
  )
}
