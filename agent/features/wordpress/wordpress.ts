import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { phpLiteral } from '#shared/kernel/formats/php.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { evaluate } from './evaluate.ts'
import { complaintOf, type RunnableSite, runWpCli } from './wp-cli.ts'

/**
 * Copies the core from the cache into the empty folder of a new site as its user; nginx can read it,
 * other sites cannot. Nothing of the site has run before, so that nothing hostile is in its way, and
 * it needs no sandbox, which takes a tenth of a second to start on Debian 12.
 */
export async function copyCore(host: Host, { user }: Site, core: string): Promise<void> {
  const argv = ['cp', '-r', '--', `${core}/.`, `${docrootOf(user)}/`]
  await host.shell.run(argv, { user, umask: 0o027 })
}

/**
 * Writes wp-config.php, creates the tables and an administrator with a random password that is not
 * stored: setAdminPassword sets a new one. All in one program, since its sandbox starts slowly; the
 * database password comes by standard input. wp-cli would request the site's own address, which may
 * still lead to another server.
 */
export async function installWordpress(host: Host, site: Site, password: Secret): Promise<void> {
  const admin = adminName(host, site.email)
  const args = [
    `--exec=${writingConfig(site.user)}`,
    `--exec=${OFFLINE}`,
    `--exec=${showingName(admin.replace(/-\w+$/, ''))}`,
    'core',
    'install',
    `--url=http://${site.domain}`,
    `--title=${site.domain}`,
    `--admin_user=${admin}`,
    `--admin_email=${site.email}`,
    '--skip-email',
  ]
  const output = await runWpCli(host, site, args, configFor(host, site.user, password))
  if (output.code !== 0) throw new Error(`WordPress was not installed: ${complaintOf(output)}`)
}

/** Sets a new random password for the first administrator; only this returns it. */
export async function setAdminPassword(
  host: Host,
  site: RunnableSite,
): Promise<{ user: string; password: Secret }> {
  const password = new Secret(host.random.text(24))
  const code = `<?php
$found = get_users(['role' => 'administrator', 'orderby' => 'ID', 'number' => 1]);
if (!$found) WP_CLI::error('the site has no administrator');
wp_set_password('${password.reveal()}', $found[0]->ID);
echo $found[0]->user_login;
`
  return { user: (await evaluate(host, site, code, 'The password was not set')).trim(), password }
}

/** Sets the scheme of WordPress's address; its host and path stay. */
export async function setUrl(
  host: Host,
  site: RunnableSite,
  scheme: 'http' | 'https',
): Promise<void> {
  const code = `<?php
foreach (['siteurl', 'home'] as $name) {
  update_option($name, set_url_scheme(get_option($name), '${scheme}'));
}
`
  await evaluate(host, site, code, 'The address was not changed')
}

/** Writes the file with the mode 0600 before wp-cli reads it. */
const writingConfig = (user: string) => `$mask = umask(0077);
$config = stream_get_contents(STDIN);
$bytes = file_put_contents('${docrootOf(user)}/wp-config.php', $config);
if ($bytes !== strlen($config)) WP_CLI::error('wp-config.php was not written');
umask($mask);`

/**
 * Keeps all requests on the machine, sets the usual form of permalinks, and removes WordPress's own
 * plugins and themes except the active theme: Site Health asks the owner to do so.
 */
const OFFLINE = `WP_CLI::add_wp_hook('pre_http_request', fn() => new WP_Error('offline', 'not now'));
WP_CLI::add_hook('after_invoke:core install', function () {
  $GLOBALS['wp_rewrite']->set_permalink_structure('/%postname%/');
  $remove = function ($path) use (&$remove) {
    if (is_link($path) || !is_dir($path)) return unlink($path);
    foreach (array_diff(scandir($path), ['.', '..']) as $name) $remove($path . '/' . $name);
    return rmdir($path);
  };
  $kept = [get_theme_root() . '/' . get_template(), get_theme_root() . '/' . get_stylesheet()];
  $themes = array_diff(glob(get_theme_root() . '/*', GLOB_ONLYDIR), $kept);
  $plugins = array_diff(glob(WP_PLUGIN_DIR . '/*'), [WP_PLUGIN_DIR . '/index.php']);
  foreach ([...$themes, ...$plugins] as $path) $remove($path);
});`

/** Sets the name in addresses and beside posts, without the random end of the login. */
const showingName = (name: string) => `WP_CLI::add_hook('after_invoke:core install', function () {
  $shown = array_fill_keys(['user_nicename', 'nickname', 'display_name'], '${name}');
  wp_update_user(['ID' => get_users(['number' => 1])[0]->ID, ...$shown]);
});`

/** The constants that sign the sessions of WordPress. */
export const SALTS = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((name) =>
  ['KEY', 'SALT'].map((kind) => `${name}_${kind}`),
)

/**
 * Sets no memory limits: WordPress takes them from the pool, which has the tier's
 * (wp_initial_constants: at least 256 MB for images, more if memory_limit is more).
 */
function configFor({ random }: Host, user: string, password: Secret): string {
  const define = (name: string, value: string) => `define( '${name}', ${value} );`
  const text = (name: string, value: string) => define(name, phpLiteral(name, value))
  return `<?php
${text('DB_NAME', user)}
${text('DB_USER', user)}
${text('DB_PASSWORD', password.reveal())}
${text('DB_HOST', 'localhost')}
${text('DB_CHARSET', 'utf8mb4')}
${text('DB_COLLATE', '')}

${SALTS.map((name) => text(name, random.text(64))).join('\n')}

$table_prefix = '${random.name(6)}_';

${define('DISABLE_WP_CRON', 'true')}
${define('DISALLOW_FILE_EDIT', 'true')}
${define('CORE_UPGRADE_SKIP_NEW_BUNDLED', 'true')}
${define('WP_DEBUG', 'false')}

if ( ! defined( 'ABSPATH' ) ) {
	define( 'ABSPATH', __DIR__ . '/' );
}
require_once ABSPATH . 'wp-settings.php';
`
}

/** Returns the local part of the address and a random part, never `admin`. */
function adminName(host: Host, email: string): string {
  const local = email.replace(/@.*$/s, '').toLowerCase()
  const plain = local.replace(/[^a-z0-9]/g, '').slice(0, 20)
  return `${plain || 'owner'}-${host.random.name(5)}`
}
