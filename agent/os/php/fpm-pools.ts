import type { Host } from '#agent/host/ports.ts'
import { configOf, FPM_FOLDER, formerConfigOf, type Pool } from './fpm-files.ts'

/** The PHP-FPMs of a user on this machine, running or not; former ones last. */
export async function listPools({ files }: Pick<Host, 'files'>, user: string): Promise<Pool[]> {
  const names = (await files.list(FPM_FOLDER)).map(({ name }) => name)
  const found = names.flatMap((name) => poolNamed(name, user) ?? [])
  const former = new Map(found.filter((pool) => pool.former).map((pool) => [pool.php, pool]))
  return [...found.filter((pool) => !pool.former), ...former.values()]
}

/** All others, including the previous form of this one. */
export async function listOthers(host: Pick<Host, 'files'>, { user, php }: Pool): Promise<Pool[]> {
  const pools = await listPools(host, user)
  return pools.filter((pool) => pool.php !== php || pool.former)
}

/** The serving pool: that of the earlier version until its successor has started. */
export async function servingPool({ files }: Pick<Host, 'files'>, pool: Pool): Promise<Pool> {
  const { user, php } = pool
  if (await files.stat(configOf({ user, php }))) return { user, php }
  const former: Pool = { user, php, former: true }
  const found = (await files.stat(configOf(former))) ?? (await files.stat(formerConfigOf(former)))
  return found ? former : { user, php }
}

/** `shop-php8.2.d`; before layout 4 `shop-8.2.d` and `shop-8.2.conf`. */
function poolNamed(name: string, user: string): Pool | undefined {
  if (!name.startsWith(`${user}-`)) return undefined
  const [, mark, php, ending] = /^(php)?(\d\.\d)\.(d|conf)$/.exec(name.slice(user.length + 1)) ?? []
  if (php === undefined) return undefined
  if (mark === undefined) return { user, php, former: true }
  return ending === 'd' ? { user, php } : undefined
}
