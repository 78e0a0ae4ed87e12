import { wordpressFailure } from '#agent/features/wordpress/failure.ts'
import { runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

/** Starts WordPress without plugins and theme, and proves that it reaches its database here. */
export async function proveDatabase(host: Host, site: Site): Promise<void> {
  const { user } = site
  const code = `<?php
global $wpdb;
if ($wpdb->get_var('SELECT DATABASE()') !== '${user}') {
  WP_CLI::error('wp-config.php leads to another database');
}
`
  const args = ['--skip-plugins', '--skip-themes', 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code === 0) return
  throw wordpressFailure(site, output, 'WordPress does not start on this server')
}
