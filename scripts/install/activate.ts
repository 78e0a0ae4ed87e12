import { existsSync } from 'node:fs'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { isHealthy, lastOutput, processOf } from './health.ts'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { BUILDER, COMMAND, CURRENT, DATA, ENVIRONMENT, SERVICE, UNIT, USER } from './paths.ts'
import { restoreRecords } from './recovery.ts'
import type { Release } from './release.ts'
import { COMMAND_TEXT, renderEnvironment, renderUnit } from './unit.ts'

/** Makes the two system users, neither of which can log in. */
export async function makeUsers(machine: Machine): Promise<void> {
  for (const user of [USER, BUILDER]) {
    const { status } = await machine.attempt(['getent', 'passwd', user], { reads: true })
    if (status === 0) continue
    machine.undo(`remove the user ${user}`, () => machine.run(['userdel', user]))
    const plain = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent']
    await machine.run(['useradd', ...plain, '--shell', '/usr/sbin/nologin', user])
  }
}

/**
 * Runs `release` as the service, after a backup of the records. If it does not become healthy, the
 * undo restores the previous release, with its records if it cannot read the migrated ones. `lost`: a
 * backup whose records a first installation gets.
 */
export async function activate(
  machine: Machine,
  release: Release,
  settings: Settings,
  lost?: string,
): Promise<void> {
  const previous = await readlink(CURRENT).catch(() => undefined)
  const target = join('releases', release.id)
  const isUpdate = previous !== undefined && previous !== target
  const records = neededOf(machine, lost)
  const backup = isUpdate ? await backUp(machine, release) : undefined
  if (previous === undefined && !existsSync(DATA))
    machine.undo(`remove ${DATA}`, () => machine.run(['rm', '-rf', DATA]))
  // Runs last, after the files are restored.
  machine.undo('start the previous release', () =>
    previous === undefined ? stopService(machine) : startAgain(machine, settings, backup),
  )
  const changes = [
    await machine.put(UNIT, renderUnit(await readFile('/etc/resolv.conf', 'utf8').catch(() => ''))),
    await machine.put(COMMAND, COMMAND_TEXT, 0o755),
    await machine.put(ENVIRONMENT, await environmentFor(settings), 0o600),
  ]
  await machine.link(CURRENT, target)
  const isSame = !changes.includes(true) && (await runningFolder(machine)) === release.folder
  if (isSame && (await isHealthy(machine, settings, 5_000))) return
  machine.log(`Starting release ${release.id}`)
  await machine.run(['systemctl', 'daemon-reload'])
  if (previous === undefined)
    machine.undo('stop the service', () => machine.run(['systemctl', 'disable', '--now', SERVICE]))
  await machine.run(['systemctl', 'enable', '--quiet', SERVICE])
  if (records === undefined) await machine.run(['systemctl', 'restart', SERVICE])
  else await restoreRecords(machine, records)
  if (machine.dry) return
  if (await isHealthy(machine, settings, 90_000)) return
  throw new Error(`release ${release.id} did not become healthy: ${await lastOutput(machine)}`)
}

/** The records of a dashboard that was used here may be newer than those of the lost one. */
function neededOf(machine: Machine, lost: string | undefined): string | undefined {
  if (lost === undefined || !existsSync(`${DATA}/dashboard.db`)) return lost
  machine.log('The records on this server stay: hosting-control restore replaces them')
  return undefined
}

/**
 * Returns the folder of the running release, read from the process itself: an interrupted
 * installation may have changed only the link.
 */
async function runningFolder(machine: Machine): Promise<string | undefined> {
  return readlink(`/proc/${await processOf(machine)}/cwd`).catch(() => undefined)
}

async function environmentFor({ domain, email, port, private_networks }: Settings) {
  const before = await readFile(ENVIRONMENT, 'utf8').catch(() => '')
  const first = before === '' ? { ADMIN_EMAIL: email } : {}
  return renderEnvironment(before, {
    PUBLIC_URL: `https://${domain}`,
    PORT: `${port}`,
    PRIVATE_ADDRESSES: private_networks ? 'allow' : '',
    ...first,
  })
}

/** Backs up the records by the present release, or by the new one if the present is broken. */
async function backUp(machine: Machine, { folder }: Release): Promise<string | undefined> {
  machine.log('Backing up the records')
  const stamp = new Date().toISOString().replace(/[:.]/g, '')
  const file = `${BACKUPS}/${PREFIX}${stamp}.tar`
  const argv = [COMMAND, 'backup', file]
  const { status, message } = await machine.attempt(argv)
  if (status === 0) return file
  const { status: second } = await machine.attempt(argv, { env: { HOSTING_RELEASE: folder } })
  if (second !== 0) throw new Error(`no backup of the records could be made: ${message}`)
  return file
}

/** Keeps the last three backups of updates. */
export async function removeOldBackups(machine: Machine): Promise<void> {
  const names = await readdir(BACKUPS).catch(() => [])
  const made = names.filter((name) => name.startsWith(PREFIX)).sort()
  for (const name of made.slice(0, -KEPT)) await machine.run(['rm', '-f', join(BACKUPS, name)])
}

const BACKUPS = `${DATA}/backups`
const PREFIX = 'before-release-'
const KEPT = 3

async function stopService(machine: Machine): Promise<void> {
  await machine.attempt(['systemctl', 'disable', '--now', '--quiet', SERVICE])
  await machine.attempt(['systemctl', 'stop', SERVICE])
  await machine.run(['systemctl', 'daemon-reload'])
}

/** Migrations are forward only: an older release cannot read migrated records. */
async function startAgain(machine: Machine, settings: Settings, backup: string | undefined) {
  await machine.run(['systemctl', 'daemon-reload'])
  await machine.run(['systemctl', 'restart', SERVICE])
  if (await isHealthy(machine, settings, 30_000))
    return machine.log('The previous release runs again')
  if (backup === undefined) throw new Error(`see journalctl --unit ${SERVICE}`)
  machine.log(`Restoring the records of ${backup}`)
  await machine.run([COMMAND, 'restore', backup])
  if (!(await isHealthy(machine, settings, 60_000)))
    throw new Error(`see journalctl --unit ${SERVICE}`)
  machine.log('The previous release runs again, with its previous records')
}
