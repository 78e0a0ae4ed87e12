import { schemeOf } from '#agent/features/wordpress/addresses/addresses.ts'
import { complaintOf, runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'

/**
 * Starts WordPress without plugins and theme, and proves that it has its new address. Throws conflict
 * with the code `address_fixed` if something else than the database decides it.
 */
export async function proveAddress(host: Host, site: Site): Promise<void> {
  const { domain } = site
  const address = `${schemeOf(site)}://${domain}`
  const code = `<?php
$hostOf = fn($name) => (string) parse_url((string) get_option($name), PHP_URL_HOST);
foreach (['siteurl', 'home'] as $name) {
  if ($hostOf($name) === '${domain}') continue;
  $path = parse_url((string) get_option($name), PHP_URL_PATH) ?: '';
  update_option($name, '${address}' . $path);
  if ($hostOf($name) !== '${domain}') WP_CLI::error("$name stays at " . $hostOf($name));
}
`
  const args = ['--skip-plugins', '--skip-themes', `--url=${address}`, 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code === 0) return
  throw conflict(
    `WordPress does not accept the address ${address}: ${complaintOf(output)}. Check WP_HOME and WP_SITEURL in wp-config.php`,
    'address_fixed',
  )
}
