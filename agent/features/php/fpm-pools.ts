import type { Host } from '#agent/kernel/host/ports.ts'
import { FPM_FOLDER, type Pool } from './fpm-files.ts'

/** Lists the PHP-FPMs of a user on this machine, running or not. */
export async function listPools({ files }: Pick<Host, 'files'>, user: string): Promise<Pool[]> {
  const names = (await files.list(FPM_FOLDER)).map(({ name }) => name)
  return names.flatMap((name) => poolNamed(name, user) ?? [])
}

export async function listOtherPools(
  host: Pick<Host, 'files'>,
  { user, php }: Pool,
): Promise<Pool[]> {
  return (await listPools(host, user)).filter((pool) => pool.php !== php)
}

/** Parses a name such as `shop-php8.2.d`. */
function poolNamed(name: string, user: string): Pool | undefined {
  if (!name.startsWith(`${user}-`)) return undefined
  const php = /^php(\d\.\d)\.d$/.exec(name.slice(user.length + 1))?.[1]
  return php === undefined ? undefined : { user, php }
}
