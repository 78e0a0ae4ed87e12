import { getTenantSite } from '#agent/features/existing/find-docroot.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { ScanLimit, TenantSite } from '#agent/kernel/host/scanner-port.ts'
import { command, type Progress } from '#agent/kernel/steps/command.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { Inventory, UnknownUpdates } from '#shared/kernel/inventory.ts'

const REACHED_LIMITS: Record<Exclude<ScanLimit, null>, string> = {
  entries: '50,000 entries of folders',
  bytes: '64 MiB of files',
  time: 'one second',
}

const UNKNOWN_UPDATES: Record<Exclude<UnknownUpdates, 'limit'>, string> = {
  config_slow: 'wp-config.php did not end within 5 seconds',
  config_failed: 'wp-config.php cannot be read, or ends before it loads WordPress',
  config_refused: 'no user may run wp-config.php',
  config_no_php: 'there is no PHP on the command line to run wp-config.php',
  config_pending: 'wp-config.php has not been run yet',
  config_environment: 'wp-config.php takes the database account from the environment of PHP-FPM',
  config_incomplete: 'wp-config.php names no database account, or no table prefix',
  folders: 'a folder, a file or a link cannot be read with the rights of the site',
  object_cache: 'an object cache stores them',
  database: 'the database does not answer, or refuses the account of wp-config.php',
  database_elsewhere: 'the database is on another server, port or socket',
  not_checked: 'WordPress could not check for them',
}

export const wpScan = command('wp.scan', {
  lock: () => undefined,
  check: async ({ domain }, host) => ({ site: await getTenantSite(host, domain) }),
  steps: () => [],
  result: ({ host, site }) => inventoryOf(host, site),
})

/** Reads with the rights of the site. */
export async function* inventoryOf(host: Host, site: TenantSite): Progress<Inventory> {
  const { domain } = site
  yield `Reading the WordPress of ${domain}`
  const scanned = await host.scanner.inventory(site)
  if (!scanned) throw notFound(`Site ${domain}`)
  if (scanned.limit !== null) {
    yield `Warning: the scan stopped at its limit of ${REACHED_LIMITS[scanned.limit]}; what it did not reach is unknown`
  }
  const { unknown_because } = scanned.inventory
  if (unknown_because !== undefined && unknown_because !== 'limit') {
    yield `Updates are not fully known: ${UNKNOWN_UPDATES[unknown_because]}`
  }
  return scanned.inventory
}
