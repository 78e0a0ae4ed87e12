import { conflict } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import type { Host, WriteOptions } from '../host/ports.ts'
import * as effects from './effects.ts'
import { removeGenerated, replace } from './generated.ts'
import {
  configOf,
  FPM_FOLDER,
  fpmService,
  iniFolderOf,
  type Pool,
  RUN_FOLDER,
  renderIni,
  renderPool,
  renderSlice,
  renderUnit,
  slicePathOf,
  socketOf,
  unitPathOf,
  WANTS,
  wantsPathOf,
} from './php-fpm-files.ts'
import { servicesOf } from './services/index.ts'
import { isRunning, signal } from './services/service.ts'
import { sliceOf } from './services/systemd.ts'
import type { Site } from './sites.ts'
import { limitsOn, machineOf } from './tiers.ts'

const poolOf = ({ user, php }: Site): Pool => ({ user, php })

/**
 * Makes the PHP-FPM of a site as its tier says: starts it, or reloads it without dropping a request.
 * A reload with a bad file would end it, so the file is tested first; what fails is put back.
 */
export async function apply(host: Host, site: Site): Promise<void> {
  const pool = poolOf(site)
  const runs = await isRunning(host, fpmService(pool))
  const restore = await writeFiles(host, site)
  try {
    if (runs) await reload(host, pool)
    else await start(host, pool)
    await listening(host, pool)
  } catch (error) {
    if (!runs) await stopAndForget(host.steady ?? host, pool)
    await restore()
    throw error
  }
}

/** What `apply` would do. */
export async function applying(host: Host, site: Site): Promise<Effect[]> {
  const pool = poolOf(site)
  const { unit, pid_file } = fpmService(pool)
  const systemd = host.init === 'systemd'
  const folders = [FPM_FOLDER, iniFolderOf(pool), RUN_FOLDER, ...(systemd ? [WANTS] : [])]
  const links = systemd ? [wantsPathOf(pool)] : []
  const runs = await isRunning(host, fpmService(pool))
  return [
    ...(await effects.making(host, 'folder', ...folders)),
    ...(await effects.generating(host, await filesOf(host, site))),
    ...(await effects.making(host, 'link', ...links)),
    ...(await effects.making(host, 'socket', socketOf(pool))),
    ...(await effects.making(host, 'file', pid_file)),
    runs ? effects.run('reload', unit) : effects.create('service', unit),
  ]
}

/**
 * Stops and removes the PHP-FPM of a user for one version; what is not there is fine. The pool is
 * found by its configuration, which goes last: a removal that was cut off can be taken to its end.
 */
async function remove(host: Host, pool: Pool): Promise<void> {
  await stopAndForget(host, pool)
  await removeGenerated(host, unitPathOf(pool))
  await host.files.remove(iniFolderOf(pool))
  for (const path of [socketOf(pool), fpmService(pool).pid_file]) await host.files.remove(path)
  await removeGenerated(host, configOf(pool))
}

/** Stops and removes what the user has for other PHP versions. */
export async function removeOthers(host: Host, { user, php }: Pool): Promise<void> {
  const others = (await listPools(host, user)).filter((pool) => pool.php !== php)
  if (others.length === 0) return
  // Workers that nginx is about to retire may still hand over a request.
  await host.clock.sleep(500)
  for (const pool of others) await remove(host, pool)
  if (host.init === 'systemd') await host.shell.run(['systemctl', 'daemon-reload'])
}

/** What `removeOthers` would do. */
export async function removingOthers(host: Host, { user, php }: Pool): Promise<Effect[]> {
  const others = (await listPools(host, user)).filter((pool) => pool.php !== php)
  return (await Promise.all(others.map((pool) => removing(host, pool)))).flat()
}

async function removing(host: Host, pool: Pool): Promise<Effect[]> {
  const { unit, pid_file } = fpmService(pool)
  const runs = await isRunning(host, fpmService(pool))
  return [
    ...(runs ? [effects.remove('service', unit)] : []),
    ...(await effects.removing(host, 'link', wantsPathOf(pool))),
    ...(await effects.removing(host, 'file', unitPathOf(pool), configOf(pool), pid_file)),
    ...(await effects.removing(host, 'folder', iniFolderOf(pool))),
    ...(await effects.removing(host, 'socket', socketOf(pool))),
  ]
}

/** Tested first: with a bad file it would not come back. */
export async function restart(host: Host, pool: Pool): Promise<void> {
  await test(host, pool)
  await servicesOf(host).restart(fpmService(pool))
  await listening(host, pool)
}

/** Those of every version, and the slice that they ran in. */
export async function removeAll(host: Host, { user, php }: Pool): Promise<void> {
  const others = (await listPools(host, user)).filter((pool) => pool.php !== php)
  for (const pool of [{ user, php }, ...others]) await remove(host, pool)
  if (host.init !== 'systemd') return
  // A slice runs on without its file, which a failed start has taken back already.
  await host.shell.try(['systemctl', 'stop', sliceOf(user)])
  if (!(await host.files.stat(slicePathOf(user)))) return
  await removeGenerated(host, slicePathOf(user))
  await host.shell.run(['systemctl', 'daemon-reload'])
}

/** What `removeAll` would do. */
export async function removingAll(host: Host, pool: Pool): Promise<Effect[]> {
  return [
    ...(await removing(host, pool)),
    ...(await removingOthers(host, pool)),
    ...(await effects.removing(host, 'file', slicePathOf(pool.user))),
  ]
}

/** The PHP-FPMs that a user has on this machine, running or not. */
export async function listPools({ files }: Host, user: string): Promise<Pool[]> {
  const names = (await files.list(FPM_FOLDER)).map(({ name }) => name)
  return names.flatMap((name) => {
    const php = name.startsWith(`${user}-`) ? name.slice(user.length + 1) : ''
    const version = /^(\d\.\d)\.conf$/.exec(php)?.[1]
    return version === undefined ? [] : [{ user, php: version }]
  })
}

async function writeFiles(host: Host, site: Site): Promise<() => Promise<void>> {
  const pool = poolOf(site)
  await host.files.mkdir(FPM_FOLDER, { mode: 0o700 })
  const restores: (() => Promise<void>)[] = []
  for (const { path, text, options } of await filesOf(host, site)) {
    restores.push(await replace(host, path, text, options))
  }
  if (host.init === 'systemd') {
    await host.files.mkdir(WANTS)
    await host.files.link(unitPathOf(pool), wantsPathOf(pool))
  }
  return async () => {
    for (const restore of restores) await restore()
  }
}

type Generated = { path: string; text: string; options?: WriteOptions }

async function filesOf(host: Host, site: Site): Promise<Generated[]> {
  const pool = poolOf(site)
  const limits = limitsOn(site.tier, await machineOf(host))
  const config = renderPool(pool, limits, host.init)
  const files: Generated[] = [
    { path: configOf(pool), text: config, options: { mode: 0o600 } },
    { path: `${iniFolderOf(pool)}/hosting.ini`, text: renderIni(limits) },
  ]
  if (host.init !== 'systemd') return files
  return [
    ...files,
    { path: slicePathOf(site.user), text: renderSlice(site.user, limits) },
    { path: unitPathOf(pool), text: renderUnit(pool) },
  ]
}

async function reload(host: Host, pool: Pool): Promise<void> {
  await test(host, pool)
  if (host.init === 'systemd') await host.shell.run(['systemctl', 'daemon-reload'])
  await signal(host, fpmService(pool), 'USR2')
}

/** Not again at the next start of the machine either. */
async function stopAndForget(host: Host, pool: Pool): Promise<void> {
  const sign = host.init === 'systemd' ? unitPathOf(pool) : fpmService(pool).pid_file
  if (await host.files.stat(sign)) await servicesOf(host).stop(fpmService(pool))
  await host.files.remove(wantsPathOf(pool))
}

/** Its own words, from a test or its log, say more than those of the service manager. */
async function start(host: Host, pool: Pool): Promise<void> {
  try {
    await servicesOf(host).start(fpmService(pool))
  } catch (error) {
    await test(host, pool)
    const log = (await host.files.read(fpmService(pool).log, 64 << 20))?.trim()
    if (!log) throw error
    const words = log.split('\n').slice(-3).join(' | ')
    throw new Error(`PHP ${pool.php} of ${pool.user} did not start: ${words}`, { cause: error })
  }
}

async function test(host: Host, pool: Pool): Promise<void> {
  const argv = [fpmService(pool).program, '--test', '--fpm-config', configOf(pool)]
  const { code, stderr } = await host.shell.try(argv)
  if (code === 0) return
  throw conflict(`PHP-FPM refuses the configuration of ${pool.user}: ${stderr.trim()}`)
}

async function listening({ files, clock }: Host, pool: Pool): Promise<void> {
  const end = clock.elapsed() + 10_000
  while (!(await files.stat(socketOf(pool)))) {
    if (clock.elapsed() > end) throw new Error(`${socketOf(pool)} did not appear`)
    await clock.sleep(10)
  }
}
