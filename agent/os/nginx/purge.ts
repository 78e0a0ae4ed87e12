import type { Host } from '#agent/host/ports.ts'
import { type Change, declared, provided } from '#agent/os/effects/change.ts'
import { remove } from '#agent/os/effects/effects.ts'
import { pageCacheOf } from '#agent/os/site/paths.ts'

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
