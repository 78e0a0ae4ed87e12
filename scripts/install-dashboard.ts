import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { activate, makeUsers, removeOldBackups } from './install/activate.ts'
import { check } from './install/check.ts'
import { Machine } from './install/machine.ts'
import {
  type Recovery,
  type Request,
  readOptions,
  recoveryIn,
  type Settings,
} from './install/options.ts'
import { installPackages } from './install/packages.ts'
import { DATA, OPTIONS } from './install/paths.ts'
import { publish } from './install/publish.ts'
import { putRecovered, type Recovered, readRecovered, saveRecovery } from './install/recovery.ts'
import { makeRelease, type Release, removeOldReleases } from './install/release.ts'
import { uninstall } from './install/uninstall.ts'
import { fail, reasonOf } from './lib/fail.ts'

/** Started by scripts/install-dashboard.sh, as root, with Bun installed. */
async function main(): Promise<void> {
  const kept: Partial<Settings> = JSON.parse(await readFile(OPTIONS, 'utf8').catch(() => '{}'))
  const argv = process.argv.slice(2)
  const recovery = recoveryIn(argv)
  const recovered = recovery && (await readRecovered(recovery))
  const request = readOptions(argv, process.env, { ...recovered?.options, ...kept })
  const machine = new Machine(request.dry_run)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => machine.interrupt())
  if (request.uninstall) return remove(machine, request)
  await check(machine, request.settings)
  try {
    const lost = recovery && recovered && { ...recovery, recovered }
    const release = await install(machine, request.settings, lost)
    if (!machine.dry) await introduce(request.settings, release)
  } catch (error) {
    console.error(`error: ${reasonOf(error)}`)
    console.error('- Undoing the installation')
    const failures = await machine.rollBack()
    for (const failure of failures) console.error(`error: ${failure}`)
    throw new Error(failures.length === 0 ? UNDONE : 'not everything could be undone: see above')
  }
}

const UNDONE =
  'the installation failed and was undone, except for packages: correct the error above, and run it again'

/** From here on nothing is undone: the new state is complete. */
async function install(
  machine: Machine,
  settings: Settings,
  lost?: Recovery & { recovered: Recovered },
): Promise<Release> {
  await installPackages(machine, settings)
  await makeUsers(machine)
  if (lost) await putRecovered(machine, lost.recovered)
  const release = await makeRelease(machine, join(import.meta.dir, '..'), settings)
  await activate(machine, release, settings, lost?.backup)
  await publish(machine, settings)
  await machine.put(OPTIONS, `${JSON.stringify(settings, null, 2)}\n`)
  await removeOldReleases(machine)
  await removeOldBackups(machine)
  const saved = await saveRecovery(machine).catch((error: unknown) => reasonOf(error))
  machine.log(`Release key and settings: ${saved}`)
  return release
}

async function introduce(settings: Settings, { id }: Release): Promise<void> {
  const { domain, port, proxy, tls } = settings
  console.log(`\nHosting Control ${id} is running: https://${domain}`)
  if (await Bun.file(`${DATA}/first-login`).exists())
    console.log('  first login:  hosting-control first-login   (shows it once)')
  console.log('  settings:     /etc/hosting-control/dashboard.env')
  console.log('  log:          journalctl --unit hosting-control')
  if (proxy === 'none')
    console.log(
      `  proxy:        yours: pass https://${domain} on to http://127.0.0.1:${port} with Host,\n` +
        '                X-Forwarded-Proto and X-Forwarded-For, without buffering',
    )
  if (tls === 'self-signed' && proxy !== 'none')
    console.log(
      '  certificate:  self-signed: each server must trust it, see .github/docs/installation.md',
    )
}

async function remove(machine: Machine, { settings, purge }: Request): Promise<void> {
  const remaining = await uninstall(machine, settings, purge)
  console.log('\nThese stay on this server:')
  for (const each of remaining) console.log(`  ${each}`)
}

await main().catch(fail)
