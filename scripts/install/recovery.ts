import { createPrivateKey, createPublicKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  openFiles,
  publicOf,
  RECOVERY,
  sealFiles,
} from '#dashboard/features/backups/recovery-file.ts'
import { listMembers, readText } from '#dashboard/features/recovery/backup/archive.ts'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import { reasonOf } from '#scripts/lib/fail.ts'
import type { Certificate } from './certificate.ts'
import type { Machine } from './machine.ts'
import type { Recovery, Settings } from './options.ts'
import {
  CACHE,
  COMMAND,
  DATA,
  ENVIRONMENT,
  KIT,
  OPTIONS,
  RELEASE_KEY,
  SELF_SIGNED,
  SETTINGS,
  USER,
} from './paths.ts'
import { nameIn } from './unit.ts'

const PUBLIC_KEY = `${RELEASE_KEY}.pub`
const { certificate: CERTIFICATE, key: CERTIFICATE_KEY } = SELF_SIGNED
/** What only root reads, and a new machine needs. Servers trust the self-signed certificate. */
const FILES = [RELEASE_KEY, PUBLIC_KEY, ENVIRONMENT, OPTIONS, CERTIFICATE, CERTIFICATE_KEY]
const TIMEOUT_MS = 30_000

/** What a backup holds beside the records, opened with the kit. */
export interface Recovered {
  /** The public half of the kit. */
  kit: string
  /** The private release key; undefined if the lost machine had none. */
  release_key: string | undefined
  public_key: string | undefined
  environment: string
  /** The options of the installation. */
  options: Partial<Settings>
  /** The certificate of `--tls self-signed`, in PEM. */
  certificate: Certificate | undefined
}

/**
 * Remembers the kit of the records, if it is the one that root names: a dashboard in wrong hands could
 * offer a kit of its own, and so read the release key. Throws for another one.
 */
export async function confirmKit(machine: Machine, fingerprint: string): Promise<void> {
  const key = await machine.run([COMMAND, 'kit'], { timeout_ms: TIMEOUT_MS })
  if (fingerprintOf(key) !== fingerprint.trim().toLowerCase())
    throw new Error(
      'the recovery kit in use has another fingerprint: look it up in the file of your kit; if it is that one, somebody has changed the kit of the dashboard',
    )
  await machine.put(KIT, key)
}

/** Seals the files to the confirmed kit, and gives them to the dashboard. Returns what was done. */
export async function saveRecovery(machine: Machine): Promise<string> {
  const kit = await readFile(KIT, 'utf8').catch(() => undefined)
  const found = await Promise.all(
    FILES.map(async (path) => [basename(path), await readFile(path, 'utf8').catch(() => '')]),
  )
  const files: Record<string, string> = Object.fromEntries(found.filter(([, text]) => text !== ''))
  const input = sealFiles(files, kit, new Date())
  // With the rights of the dashboard, which owns the folder.
  await machine.run([COMMAND, 'keep-recovery'], { input, timeout_ms: TIMEOUT_MS })
  if (kit === undefined) return NOT_SAVED
  return `the next backups hold ${Object.keys(files).join(', ')}, sealed to the recovery kit ${fingerprintOf(kit)}`
}

const NOT_SAVED =
  'the backups hold neither the release key nor the settings: run hosting-control save-release-key <fingerprint> with the fingerprint in the file of your recovery kit'

/** Reads what `saveRecovery` has put into a backup. Throws with the reason. */
export async function readRecovered({ backup, kit }: Recovery): Promise<Recovered> {
  const pem = await readFile(kit, 'utf8').catch(() => {
    throw new Error(`--kit ${kit} cannot be read`)
  })
  const public_half = publicHalf(kit, pem)
  const sealed = await sealedIn(backup)
  try {
    const files = openFiles(sealed, pem)
    const { [basename(RELEASE_KEY)]: release_key, ...others } = files
    const public_key = PUBLIC.exec(others[basename(PUBLIC_KEY)] ?? '')?.[0]
    return {
      release_key,
      public_key: release_key === undefined ? public_key : publicKeyOf(release_key),
      environment: others[basename(ENVIRONMENT)] ?? '',
      options: JSON.parse(others[basename(OPTIONS)] ?? '{}'),
      certificate: certificateIn(others),
      kit: public_half,
    }
  } catch (error) {
    throw new Error(`--recover ${backup}: ${reasonOf(error)}`)
  }
}

/** A public key is 32 bytes in base64url. */
const PUBLIC = /^[\w-]{43}\n?$/

function publicHalf(path: string, pem: string): string {
  try {
    return publicOf(pem)
  } catch {
    throw new Error(`--kit ${path} has no private key of a recovery kit`)
  }
}

async function sealedIn(backup: string): Promise<string> {
  try {
    await using archive = await open(backup, 'r')
    const member = (await listMembers(archive)).find(({ name }) => name === RECOVERY)
    if (member) return await readText(archive, member)
  } catch (error) {
    throw new Error(`--recover ${backup} cannot be read: ${reasonOf(error)}`)
  }
  throw new Error(
    `--recover ${backup} has no release key and no settings: install without --recover, and restore the records with hosting-control restore`,
  )
}

function certificateIn(files: Record<string, string>): Certificate | undefined {
  const { [basename(CERTIFICATE)]: certificate, [basename(CERTIFICATE_KEY)]: key } = files
  return certificate === undefined || key === undefined ? undefined : { certificate, key }
}

/** Throws for anything else than an Ed25519 key in PEM. */
function publicKeyOf(pem: string): string {
  const { kty, crv, x } = createPublicKey(createPrivateKey(pem)).export({ format: 'jwk' })
  if (kty !== 'OKP' || crv !== 'Ed25519') throw new Error('The release key is no Ed25519 key')
  return `${x}\n`
}

/** Puts them into place before the release is built: the key is a part of the agents. */
export async function putRecovered(machine: Machine, recovered: Recovered): Promise<void> {
  await machine.folder(SETTINGS)
  await putReleaseKey(machine, recovered)
  const before = await readFile(ENVIRONMENT, 'utf8').catch(() => '')
  const { text, restored, kept, left } = mergeEnvironment(before, recovered.environment)
  await machine.put(ENVIRONMENT, text, 0o600)
  await machine.put(KIT, recovered.kit)
  await putCertificate(machine, recovered)
  const say = (what: string, names: string[]) => {
    if (names.length > 0) machine.log(`${what}: ${names.join(', ')}`)
  }
  say(`Recovered the settings in ${ENVIRONMENT}`, restored)
  say('Kept the settings of this server', kept)
  say('Not recovered, since they are of the lost machine or end sessions', left)
}

async function putReleaseKey(machine: Machine, recovered: Recovered): Promise<void> {
  const { release_key, public_key } = recovered
  const present = await readFile(RELEASE_KEY, 'utf8').catch(() => '')
  if (public_key === undefined || (release_key === undefined && present !== ''))
    return machine.log('The backup has no release key: the one of this server stays')
  if (release_key === undefined) machine.log(PUBLIC_ONLY)
  else {
    if (present !== '' && present !== release_key) await keepAside(machine, present)
    await machine.put(RELEASE_KEY, release_key, 0o600)
    machine.log(`Recovered the release key: ${RELEASE_KEY}`)
  }
  await machine.put(PUBLIC_KEY, public_key)
}

async function keepAside(machine: Machine, key: string): Promise<void> {
  const path = `${RELEASE_KEY}.before-recovery-${Date.now()}`
  await machine.put(path, key, 0o600)
  machine.log(`Kept another release key of this server: ${path}`)
}

async function putCertificate(machine: Machine, { certificate }: Recovered): Promise<void> {
  if (certificate === undefined || existsSync(CERTIFICATE_KEY)) return
  await machine.put(CERTIFICATE, certificate.certificate)
  await machine.put(CERTIFICATE_KEY, certificate.key, 0o600)
  machine.log(`Recovered the self-signed certificate: ${CERTIFICATE}`)
}

const PUBLIC_ONLY =
  'Recovered the public release key: the private one was not on the lost machine, so sign the agents with your copy of it'

/**
 * These settings are paths and addresses of a machine; and with its former secret, sessions that
 * ended would be valid.
 */
const OF_MACHINE = ['HOST', 'DATA_DIR', 'WEB_DIR', 'BUILDS_DIR', 'JWT_SECRET']

/** What is set on this server stays. Comments are recovered where there are no settings yet. */
export function mergeEnvironment(present: string, recovered: string) {
  const names = (text: string) => text.split('\n').map(nameIn).filter(Boolean)
  const own = new Set(names(present))
  const all = [...new Set(names(recovered))]
  const left = all.filter((name) => OF_MACHINE.includes(name) && !own.has(name))
  const kept = all.filter((name) => own.has(name))
  const restored = all.filter((name) => !own.has(name) && !left.includes(name))
  const lines = recovered.split('\n').filter((line) => {
    const name = nameIn(line)
    return name === '' ? present === '' : restored.includes(name)
  })
  const text = present === '' ? lines.join('\n') : [present.trimEnd(), ...lines, ''].join('\n')
  return { text, restored, kept, left }
}

/** Restores the records as the user of the service, which runs afterwards. */
export async function restoreRecords(machine: Machine, backup: string): Promise<void> {
  const copy = join(CACHE, 'recovered.tar')
  await machine.run(['install', '-d', '-m', '700', '-o', USER, '-g', USER, DATA])
  try {
    await machine.run(['install', '-m', '600', '-o', USER, '-g', USER, backup, copy])
    const said = await machine.run([COMMAND, 'restore', copy])
    const lines = said.trim().split('\n')
    // What to do with the release key is done already.
    for (const line of lines.filter((each) => !each.includes('--recover')))
      machine.log(`The records: ${line}`)
  } finally {
    await rm(copy, { force: true })
  }
}
