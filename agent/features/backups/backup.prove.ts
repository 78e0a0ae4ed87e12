import { z } from 'zod'
import * as check from '#agent/features/backups/proof/checks.ts'
import * as hidden from '#agent/features/backups/proof/hidden-site.ts'
import { Findings } from '#agent/features/backups/proof/report.ts'
import { readingRepository, SESSIONS } from '#agent/features/backups/read/open-backup.ts'
import {
  failureOf,
  isDamaged,
  isTransient,
  isUnknownSnapshot,
} from '#agent/features/backups/restic/failures.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import {
  type OpenRepository,
  refuseUnready,
  runRestic,
  tryRestic,
} from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFiles,
  openRepositoryOf,
  withPassword,
} from '#agent/features/backups/restic/session.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  type CommandRun,
  command,
  type Progress,
  ready,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, messageOf } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { readManifest } from './fetch.ts'
import type { Manifest } from './manifest.ts'
import { fetchedOf } from './paths.ts'
import { saveProof } from './save.ts'

type ProofParams = ParamsOf<'backup.prove'>

const found = stepResult<Manifest | undefined>('The backup was not read')

/** Runs one proof at a time, beside the live site. Findings are its result, not an error. */
export const backupProve = command('backup.prove', {
  lock: () => 'proof',
  withSecrets: withPassword,
  async check(params, host) {
    await refuseUnready(host, params.target)
    const copy = hidden.hiddenSiteFor(host, await getSite(host, params.domain))
    return { ...proofOf(host, params, copy), began: host.clock.elapsed() }
  },
  async find(params, host) {
    const [copy] = await hidden.leftoverHiddenSites(host)
    return copy && { ...proofOf(host, params, copy), began: 0 }
  },
  steps: (job) => [
    ready(() => leftoverSteps(job.host)),
    ready(() => resticSteps(job.host)),
    ready(() => mariadbSteps(job.host)),
    ...stepsOf(job),
  ],
  async *result({ params, host, findings, at, began, warn }) {
    const seconds = Math.round((host.clock.elapsed() - began) / 100) / 10
    const report = findings.report({ backup: params.backup, at, seconds })
    for (const { message } of report.findings) yield message
    yield report.proven ? 'The backup is proven' : 'The backup is not proven'
    // The backup is proven anyway, but the keeper does not know it.
    if (report.proven) {
      await markProven(host, params).catch((error: unknown) => {
        warn({
          code: 'not_marked',
          message: `The keeper cannot see the proof: ${messageOf(error)}`,
        })
      })
    }
    return { domain: params.domain, proof: report }
  },
})

function proofOf(host: Host, { target, repository: name, password }: ProofParams, copy: Site) {
  const opened = openRepositoryOf(host, { name, target, password }, copy.user)
  const at = new Date(host.clock.now()).toISOString()
  return { copy, opened, at, findings: new Findings() }
}

type ProofRun = CommandRun<'backup.prove', ReturnType<typeof proofOf>>

const leftoverSteps = async (host: Host): Promise<Step[]> =>
  (await hidden.leftoverHiddenSites(host)).map((left, at) => ({
    ...hidden.removeHiddenStep(host, left, `left ${at}`),
    title: 'Removing the hidden site of an interrupted proof',
  }))

function stepsOf(proof: ProofRun): Step[] {
  const { host, copy, opened, gives } = proof
  const files = openFiles(host, opened.repository, copy.user)
  const reads = [run('program', 'restic'), create('folder', fetchedOf(copy.user))]
  return [
    ...hidden.createHiddenSteps(host, copy),
    {
      name: 'target',
      title: 'Connecting to the target',
      effects: files.effects,
      apply: gives(found, async () => {
        await files.apply()
        return readBackup(proof)
      }),
    },
    {
      name: 'files',
      title: 'Restoring the files',
      effects: reads,
      apply: () => asFinding(proof, (restored) => check.checkFiles(host, opened, restored)),
    },
    {
      name: 'dump',
      title: 'Restoring the database',
      effects: reads,
      apply: () => asFinding(proof, (restored) => check.checkDump(host, opened, restored)),
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, copy.user) },
    ...checkSteps(proof),
    hidden.removeHiddenStep(host, copy),
  ]
}

/**
 * Reads the manifest of a backup; undefined when it cannot be read, which a finding explains.
 * Throws if the target cannot be used, or the disk is too full.
 */
async function readBackup({
  host,
  opened,
  params,
  findings,
}: ProofRun): Promise<Manifest | undefined> {
  if (!(await openRepository(host, opened, findings))) return undefined
  let manifest: Manifest
  try {
    manifest = await readManifest(host, opened, params.backup)
  } catch (failure) {
    await explainFailure(host, opened, params.backup, { findings, failure })
    return undefined
  }
  await refuseLackOfSpace(host, opened, manifest)
  return manifest
}

/** Turns data that cannot be read into a finding, unless something else is the cause. */
async function* asFinding(
  { host, copy, opened, params, findings, get }: ProofRun,
  work: (restored: check.RestoredBackup) => Progress<void>,
): Progress<void> {
  const manifest = get(found)
  if (!manifest || findings.isOver) return
  try {
    yield* work({ copy, findings, manifest })
  } catch (failure) {
    await explainFailure(host, opened, params.backup, { findings, failure })
  }
}

/** The order in which the checks change the copy: the database is compared before it is used. */
const CHECKS = [
  ['database', 'Comparing the database', check.checkDatabase],
  ['boot', 'Starting WordPress', check.checkBoot],
  ['pages', 'Requesting pages', check.checkPages],
  ['core', 'Comparing the files of WordPress', check.compareCore],
] as const

const checkSteps = ({ host, copy, findings, get }: ProofRun): Step[] =>
  CHECKS.map(([name, title, work]) => ({
    name,
    title,
    effects: [],
    async apply() {
      const manifest = get(found)
      if (manifest && !findings.isOver) await work(host, { copy, findings, manifest })
    },
  }))

/** Records in the repository that the backup is proven, for the keeper. */
async function markProven(host: Host, params: ParamsOf<'backup.prove'>): Promise<void> {
  const marking = readingRepository(host, SESSIONS.proof, params, async function* (opened) {
    yield await saveProof(host, opened, params.backup)
  })
  await Array.fromAsync(marking)
}

const LIMIT = { timeout_ms: 5 * 60_000 }
const RESERVE = 256 * 2 ** 20
const HOUR_MS = 60 * 60_000
const Total = z.object({ message_type: z.literal('summary'), total_bytes: z.number() })
const DATABASES = '/var/lib/mysql'

/** Throws conflict if the hidden site does not fit on the disk by its manifest and snapshot. */
async function refuseLackOfSpace(
  host: Host,
  opened: OpenRepository,
  { files, database }: Manifest,
): Promise<void> {
  const dump = database?.bytes ?? 0
  const bytes = Math.max(files.bytes, await sizeOfFiles(host, opened, files.snapshot))
  // Database and dump may be on the same file system as the files.
  await refuseLackAt(host, HOMES, bytes + 3 * dump)
  if (dump > 0) await refuseLackAt(host, DATABASES, 2 * dump)
}

/** 0 for a snapshot that cannot be read, which its restore explains. */
async function sizeOfFiles(host: Host, opened: OpenRepository, snapshot: string): Promise<number> {
  const args = ['restore', snapshot, '--json', '--dry-run', '--target', '/restore']
  const { code, stdout } = await tryRestic(host, opened, args, { timeout_ms: HOUR_MS })
  if (code !== 0) return 0
  return parseJson(Total, stdout.trim().split('\n').at(-1))?.total_bytes ?? 0
}

async function refuseLackAt(host: Host, path: string, bytes: number): Promise<void> {
  const { free } = await host.files.space(path)
  const needed = bytes + RESERVE
  if (free >= needed) return
  throw conflict(`${path} has ${sizeOf(free)} free, and the proof needs ${sizeOf(needed)}`)
}

/**
 * Adds a finding after a failure to read a backup, if the target answers and the disk has space, so
 * that the backup is the cause. Throws the failure otherwise.
 */
async function explainFailure(
  host: Host,
  opened: OpenRepository,
  backup: string,
  { findings, failure }: { findings: Findings; failure: unknown },
): Promise<void> {
  if (isDiskFull(failure) || isTransient(failure)) throw failure
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
async function openRepository(
  host: Host,
  opened: OpenRepository,
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
