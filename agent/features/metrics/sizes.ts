import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { MAIL_USER, mailPlaces } from '#agent/kernel/mail/places.ts'
import { pageCacheOf } from '#agent/kernel/site/paths.ts'

const LIMIT_MS = 5 * 60_000

/** In bytes, by system user. */
export interface Sized {
  cache: Map<string, number>
  mail: Map<string, number>
}

/** The page caches and mail queues of sites, by one program each with the rights of their writer. */
export async function measureSizes(host: Host, users: readonly string[]): Promise<Sized> {
  const { queueOf } = mailPlaces(host.settings.mail_dir)
  return {
    cache: await measured(host, users, pageCacheOf, { user: 'www-data' }),
    mail: await measured(host, users, queueOf, { user: MAIL_USER }),
  }
}

async function measured(
  host: Host,
  users: readonly string[],
  pathOf: (user: string) => string,
  options: RunOptions,
): Promise<Map<string, number>> {
  if (users.length === 0) return new Map()
  const argv = ['du', '--summarize', '--block-size=1', '--', ...users.map(pathOf)]
  const { stdout } = await host.shell.try(argv, { ...options, timeout_ms: LIMIT_MS })
  const bytes = new Map<string, number>()
  for (const [, size, path = ''] of stdout.matchAll(/^(\d+)\t(.+)$/gm))
    bytes.set(path, Number(size))
  return new Map(
    users.flatMap((user) => {
      const size = bytes.get(pathOf(user))
      return size === undefined ? [] : [[user, size] as const]
    }),
  )
}
