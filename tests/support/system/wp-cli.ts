import type { Host } from '#tests/support/lab/index.ts'

interface Site {
  user: string
  docroot: string
}

/** Runs the mirror's wp-cli as the site's user on the host; throws unless it succeeds. */
export function wpCli(host: Host, { user, docroot }: Site, php: string, args: readonly string[]) {
  return host.must([
    ...['runuser', '-u', user, '--', `php${php}`, '/srv/mirror/wp-cli.phar'],
    ...[`--path=${docroot}`, ...args],
  ])
}

/** Parses `--format=json`: a list of objects with at least a name and a version. */
export async function wpCliJson(
  host: Host,
  site: Site,
  php: string,
  args: readonly string[],
): Promise<{ name: string; version: string }[]> {
  return JSON.parse(await wpCli(host, site, php, args))
}
