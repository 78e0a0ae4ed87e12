import { type Change, declared, provided } from '#agent/kernel/effects/change.ts'
import { remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { pageCacheOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

export const purgeStep = (host: Host, { user, domain }: Site): Step => ({
  name: 'pages',
  title: `Emptying the page cache of ${domain}`,
  ...pageCacheEmptied(host, user),
})

/** Empties the page cache. nginx treats a missing file as a miss. */
function pageCacheEmptied(host: Host, user: string): Change {
  const argv = ['find', pageCacheOf(user), '-ignore_readdir_race', '-type', 'f', '-delete']
  return provided(
    () => host.files.stat(pageCacheOf(user)),
    declared([remove('pages', pageCacheOf(user))], () =>
      host.shell.run(argv, { user: 'www-data' }),
    ),
  )
}
