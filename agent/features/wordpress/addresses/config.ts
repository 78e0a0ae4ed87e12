import { SALTS } from '#agent/features/wordpress/wordpress.ts'
import { complaintOf, runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { type OriginalSite, schemeOf } from './addresses.ts'
import { type ConfigOrder, configProgram } from './config-program.ts'
import { writtenNamesOf } from './written-names.ts'

/**
 * Gives the copy its own database, keys and addresses: a session of the original is not valid in
 * it, and it shares no entry of an object cache. Throws if wp-config.php cannot be changed.
 */
export async function configureCopy(
  host: Host,
  from: OriginalSite,
  to: Site,
  password: Secret,
): Promise<void> {
  const { user } = to
  const database = { DB_NAME: user, DB_USER: user, DB_PASSWORD: password.reveal() }
  const salts = Object.fromEntries(SALTS.map((name) => [name, host.random.text(64)]))
  const prefix = `${user}-${host.random.text(8)}:`
  await changeFiles(host, from, to, {
    replaced: { ...database, DB_HOST: 'localhost' },
    added: { ...salts, WP_CACHE_KEY_SALT: prefix },
    matched: { WP_REDIS_PREFIX: prefix },
  })
}

/** Changes the addresses in files that came from another site; its wp-config.php stays its own. */
export const rewriteAddressFiles = (host: Host, from: OriginalSite, to: Site): Promise<void> =>
  changeFiles(host, from, to, { replaced: {}, added: {}, matched: {} })

async function changeFiles(
  host: Host,
  from: OriginalSite,
  to: Site,
  constants: Pick<ConfigOrder, 'replaced' | 'added' | 'matched'>,
): Promise<void> {
  const code = configProgram({
    docroot: docrootOf(to.user),
    names: writtenNamesOf(from.domain),
    home: homeOf(from.user),
    domain: to.domain,
    scheme: schemeOf(to),
    new_home: homeOf(to.user),
    ...constants,
  })
  const output = await runWpCli(host, to, ['--skip-wordpress', 'eval-file', '-'], code)
  if (output.code !== 0) throw configurationError(complaintOf(output))
}

/**
 * Starts WordPress without plugins and theme, and proves that it uses its own database: with
 * another one it would show, and change, the original. Its address has `http` until there is a
 * certificate.
 */
export async function proveOwnDatabase(host: Host, site: Site): Promise<void> {
  const { user, domain } = site
  const code = `<?php
global $wpdb;
$seen = [DB_NAME, DB_USER, $wpdb->get_var('SELECT DATABASE()'), $wpdb->get_var('SELECT CURRENT_USER()')];
if ($seen !== ['${user}', '${user}', '${user}', '${user}@localhost']) {
  WP_CLI::error('wp-config.php leads to another database');
}
foreach (['siteurl', 'home'] as $name) {
  $url = get_option($name);
  $parts = parse_url($url);
  $path = $parts['path'] ?? '';
  if (($parts['host'] ?? '') !== '${domain}') $url = 'http://${domain}' . $path;
  update_option($name, set_url_scheme($url, 'http'));
}
`
  const args = ['--skip-plugins', '--skip-themes', 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code !== 0) throw configurationError(complaintOf(output))
}

const configurationError = (reason: string) =>
  new Error(`The copy could not be configured: ${reason}`)
