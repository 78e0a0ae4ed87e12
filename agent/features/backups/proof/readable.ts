import { z } from 'zod'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import {
  failureOf,
  isDamaged,
  isOfElsewhere,
  isUnknownSnapshot,
} from '#agent/features/backups/restic/failures.ts'
import { type Opened, runRestic, tryRestic } from '#agent/features/backups/restic/run.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Findings } from './report.ts'

const LIMIT = { timeout_ms: 5 * 60_000 }
const RESERVE = 256 * 2 ** 20
const HOUR_MS = 60 * 60_000
const Total = z.object({ message_type: z.literal('summary'), total_bytes: z.number() })
const DATABASES = '/var/lib/mysql'

/**
 * Throws conflict if the hidden site does not fit on the disk: by its manifest and by the snapshot of
 * its files, of which only one may be wrong.
 */
export async function refuseLackOfSpace(
  host: Host,
  opened: Opened,
  { files, database }: Manifest,
): Promise<void> {
  const dump = database?.bytes ?? 0
  const bytes = Math.max(files.bytes, await sizeOfFiles(host, opened, files.snapshot))
  // Database and dump may be on the same file system as the files.
  await refuse(host, HOMES, bytes + 3 * dump)
  if (dump > 0) await refuse(host, DATABASES, 2 * dump)
}

/** 0 for a snapshot that cannot be read, which its restore explains. */
async function sizeOfFiles(host: Host, opened: Opened, snapshot: string): Promise<number> {
  const args = ['restore', snapshot, '--json', '--dry-run', '--target', '/restore']
  const { code, stdout } = await tryRestic(host, opened, args, { timeout_ms: HOUR_MS })
  if (code !== 0) return 0
  return parseJson(Total, stdout.trim().split('\n').at(-1))?.total_bytes ?? 0
}

async function refuse(host: Host, path: string, bytes: number): Promise<void> {
  const { free } = await host.files.space(path)
  const needed = bytes + RESERVE
  if (free >= needed) return
  throw conflict(`${path} has ${sizeOf(free)} free, and the proof needs ${sizeOf(needed)}`)
}

/**
 * After a failure to read a backup: a finding if the target answers and the disk has space, so that
 * the backup is the cause. Throws the failure otherwise.
 */
export async function explain(
  host: Host,
  opened: Opened,
  backup: string,
  { findings, failure }: { findings: Findings; failure: unknown },
): Promise<void> {
  if (isDiskFull(failure) || isOfElsewhere(failure)) throw failure
  const spaces = await Promise.all([HOMES, DATABASES].map((path) => host.files.space(path)))
  if (spaces.some(({ free }) => free < RESERVE)) throw failure
  if ((await tryRestic(host, opened, ['cat', 'config'], LIMIT)).code !== 0) throw failure
  const found = await tryRestic(host, opened, ['cat', 'snapshot', backup], LIMIT)
  if (found.code !== 0 && isUnknownSnapshot(found.stderr))
    findings.end('missing', 'The repository does not have this backup')
  else if (found.code === 0 || isDamaged(failureOf(found, [])))
    findings.end('damaged', 'restic cannot read all data of the backup')
  else throw failure
}

/**
 * Returns whether it can be read: a damaged configuration or key is a finding. Throws if the target
 * cannot be reached, is locked, or has another password.
 */
export async function openRepository(
  host: Host,
  opened: Opened,
  findings: Findings,
): Promise<boolean> {
  try {
    await runRestic(host, opened, ['cat', 'config'], LIMIT)
    return true
  } catch (failure) {
    if (!isDamaged(failure)) throw failure
    findings.end(
      'damaged',
      'restic cannot open the repository: its configuration or key is damaged',
    )
    return false
  }
}
