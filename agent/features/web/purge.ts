import { type Change, declared, provided } from '#agent/kernel/effects/change.ts'
import { remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { pageCacheOf } from '#agent/kernel/site/paths.ts'

/** Empties the page cache. nginx takes a missing file for a miss. */
export function purge(host: Host, user: string): Change {
  const argv = ['find', pageCacheOf(user), '-type', 'f', '-delete']
  return provided(
    () => host.files.stat(pageCacheOf(user)),
    declared([remove('pages', pageCacheOf(user))], () =>
      host.shell.run(argv, { user: 'www-data' }),
    ),
  )
}
