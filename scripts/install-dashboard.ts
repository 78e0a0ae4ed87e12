import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { activate, makeUsers, removeOldBackups } from './install/activate.ts'
import { removeFromCaddy, serveByCaddy } from './install/caddy.ts'
import { type Certificate, isIssued, issue, nameOf, selfSigned } from './install/certificate.ts'
import { check } from './install/check.ts'
import { checkPublic } from './install/health.ts'
import { Machine } from './install/machine.ts'
import { removeFromNginx, serveByNginx } from './install/nginx.ts'
import {
  type Recovery,
  type Request,
  readOptions,
  recoveryIn,
  type Settings,
} from './install/options.ts'
import {
  BUILDER,
  CACHE,
  CHALLENGES,
  COMMAND,
  DATA,
  HOME,
  OPTIONS,
  SERVICE,
  SETTINGS,
  UNIT,
  USER,
} from './install/paths.ts'
import { putRecovered, type Recovered, readRecovered, saveRecovery } from './install/recovery.ts'
import { makeRelease, type Release, removeOldReleases } from './install/release.ts'
import { fail, reasonOf } from './lib/fail.ts'

/** Installs the dashboard; started by scripts/install-dashboard.sh, as root, with Bun installed. */
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

/** Installs the missing packages, which stay when the installation fails. */
async function installPackages(machine: Machine, settings: Settings): Promise<void> {
  const { proxy, tls } = settings
  const needed = [
    ...['curl', 'ca-certificates', 'iproute2'],
    ...(proxy === 'none' ? [] : [proxy]),
    ...(proxy === 'nginx' && tls === 'acme' ? ['certbot'] : []),
    ...(proxy === 'nginx' && tls === 'self-signed' ? ['openssl'] : []),
  ]
  const missing: string[] = []
  for (const name of needed) if (!(await isInstalled(machine, name))) missing.push(name)
  if (missing.length === 0) return
  machine.log(`Installing ${missing.join(', ')}`)
  const apt = ['apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=300']
  await machine.run([...apt, 'update'])
  await machine.run([...apt, 'install', '--no-install-recommends', ...missing])
}

async function isInstalled(machine: Machine, name: string): Promise<boolean> {
  const { stdout } = await machine.attempt(['dpkg-query', '--status', name], { reads: true })
  return stdout.includes('\nStatus: install ok installed\n')
}

/** Makes the running dashboard reachable at its domain, through the chosen proxy. */
async function publish(machine: Machine, settings: Settings): Promise<void> {
  const { proxy } = settings
  if (proxy !== 'nginx') await removeFromNginx(machine)
  if (proxy !== 'caddy') await removeFromCaddy(machine)
  if (proxy === 'none') return
  const given = await givenCertificate(machine, settings)
  if (proxy === 'caddy') {
    await serveByCaddy(machine, settings, given)
    // It contacts the authority after its start.
    return checkPublic(machine, settings, given ? 20_000 : 120_000)
  }
  await serveByNginx(machine, settings, given ?? (await certified(machine, settings)))
  await checkPublic(machine, settings)
}

async function givenCertificate(
  machine: Machine,
  settings: Settings,
): Promise<Certificate | undefined> {
  const { proxy, tls, certificate, key } = settings
  if (tls === 'files') return { certificate, key }
  // Caddy has an internal authority for that, and cannot read our files.
  return tls === 'self-signed' && proxy === 'nginx' ? selfSigned(machine, settings) : undefined
}

/** nginx does not start with a missing certificate. */
async function certified(machine: Machine, settings: Settings): Promise<Certificate> {
  if (!isIssued(settings)) await serveByNginx(machine, settings, undefined)
  return issue(machine, settings)
}

/** Removes the programs; with `purge` also unrecoverable data. Returns the remaining paths. */
async function uninstall(machine: Machine, settings: Settings, purge: boolean): Promise<string[]> {
  machine.log('Removing the service')
  if (existsSync(UNIT)) await machine.run(['systemctl', 'disable', '--now', '--quiet', SERVICE])
  await machine.remove(UNIT)
  await machine.remove(COMMAND)
  await machine.run(['systemctl', 'daemon-reload'])
  await removeFromNginx(machine)
  await removeFromCaddy(machine)
  await machine.run(['rm', '-rf', HOME, CACHE, CHALLENGES])
  const packages = 'the packages of the proxy, certbot and curl: apt-get autoremove --purge …'
  if (!purge)
    return [
      `${DATA}: the records, their secrets and backups`,
      `${SETTINGS}: the settings, and the key that signs agents`,
      `the users ${USER} and ${BUILDER}`,
      ...(isIssued(settings) ? [`the certificate ${nameOf(settings)} of certbot`] : []),
      packages,
    ]
  machine.log('Removing the records and the settings')
  await machine.run(['rm', '-rf', DATA, SETTINGS])
  if (isIssued(settings))
    await machine.run(['certbot', 'delete', '--non-interactive', '--cert-name', nameOf(settings)])
  for (const user of [USER, BUILDER]) await machine.attempt(['userdel', user])
  return [packages]
}

await main().catch(fail)
