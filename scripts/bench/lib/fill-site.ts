import { filled } from '#scripts/bench/rewrite/filled.ts'
import type { Host } from '#tests/support/lab/index.ts'

const MB = 1e6
const PHOTO = 800_000
const TEXT = 60_000
const MINUTES = 60_000

/** A WordPress of this size. `database`: its share; of the files, most do not compress. */
export async function fillSite(
  host: Host,
  { user, domain }: { user: string; domain: string },
  { megabytes, database }: { megabytes: number; database: number },
): Promise<void> {
  const bytes = megabytes * MB
  const names = await host.must(['mariadb', user, '-Ne', "SHOW TABLES LIKE '%\\_posts'"])
  const sql = filled(bytes * database, domain).replaceAll('wp_post', names.trim().slice(0, -1))
  await host.must(['mariadb', user], { input: sql, timeout_ms: 20 * MINUTES })
  const photos = Math.round((bytes * (0.9 - database)) / PHOTO)
  const texts = Math.round((bytes * 0.1) / TEXT)
  const make = `cd /srv/www/${user}/public && mkdir -p wp-content/uploads && cd wp-content/uploads
    head -c ${photos * PHOTO} /dev/urandom | split -a 6 -d -b ${PHOTO} - photo
    yes 'A line of a log, a style sheet or a script; ' | head -c ${texts * TEXT} | split -a 6 -d -b ${TEXT} - text
    chown -R ${user}: .`
  await host.must(['bash', '-ec', make], { timeout_ms: 20 * MINUTES })
}
