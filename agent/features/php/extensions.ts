import type { Host } from '#agent/kernel/host/ports.ts'
import { installedPhp } from '#agent/kernel/packages/packages.ts'
import type { InstalledPhp } from '#shared/php/php-installed.ts'

/**
 * Lists the installed PHP versions with the extensions that PHP-FPM loads, by name: Debian has one
 * file for each, such as `20-gd.ini`. Those that are compiled in have none.
 */
export async function listPhp(host: Host): Promise<InstalledPhp[]> {
  const versions = await installedPhp(host)
  return Promise.all(
    versions.map(async (version) => ({ version, extensions: await extensionsOf(host, version) })),
  )
}

async function extensionsOf({ files }: Host, version: string): Promise<string[]> {
  const entries = await files.list(`/etc/php/${version}/fpm/conf.d`)
  const names = entries.flatMap(({ name }) => /^\d+-([a-z0-9_]{1,40})\.ini$/.exec(name)?.[1] ?? [])
  return [...new Set(names)].sort()
}
