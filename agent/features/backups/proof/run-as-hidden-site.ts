import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { type SiteOptions, tryAsSite } from '#agent/kernel/sandbox/run.ts'

/** A hidden site, and the user of the original, whose paths its files may contain. */
export interface HiddenSite {
  user: string
  php: string
  original: string
}

/** A program that always fails: no mail leaves the hidden site. */
export const NO_MAIL = '/bin/false'

/**
 * Returns definitions for the hidden site. They come first, so that those of wp-config.php have no
 * effect and no file of the backup is changed. Redis and other caches are not reachable.
 */
export const constantsOf = ({ user }: HiddenSite): string => {
  const values = { DB_NAME: user, DB_USER: user, DB_PASSWORD: '', DB_HOST: 'localhost' }
  const texts = Object.entries(values).map(([name, value]) => `define('${name}', '${value}');`)
  const flags = ['DISABLE_WP_CRON', 'WP_REDIS_DISABLED'].map((name) => `define('${name}', true);`)
  return [...texts, ...flags].join(' ')
}

/**
 * Runs a program as the hidden site: without a network, at the lowest priority, and with its files
 * also at the paths of the original. Never throws for an exit status.
 */
export const tryAsHiddenSite = (
  host: Host,
  { user, original }: HiddenSite,
  argv: readonly string[],
  options: Pick<SiteOptions, 'input' | 'env' | 'reads' | 'own_program' | 'timeout_ms'>,
): Promise<Output> =>
  tryAsSite(host, { user }, argv, {
    ...options,
    network: false,
    idle: true,
    stands_for: original,
    umask: 0o027,
  })
