import * as check from '#agent/features/backups/proof/checks.ts'
import * as hidden from '#agent/features/backups/proof/hidden-site.ts'
import { markProven } from '#agent/features/backups/proof/mark.ts'
import {
  explain,
  openRepository,
  refuseLackOfSpace,
} from '#agent/features/backups/proof/readable.ts'
import { Findings } from '#agent/features/backups/proof/report.ts'
import { resticSteps } from '#agent/features/backups/restic/program.ts'
import { refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openedOf,
  openFiles,
  withPassword,
} from '#agent/features/backups/restic/session.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  command,
  type Job,
  type Progress,
  ready,
  type Step,
  value,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { readManifest } from './fetch.ts'
import type { Manifest } from './manifest.ts'
import { fetchedOf } from './places.ts'

type Params = ParamsOf<'backup.prove'>

const found = value<Manifest | undefined>('The backup was not read')

/**
 * One at a time; the live site is not touched. Findings about a backup are its result, and no
 * error.
 */
export const backupProve = command('backup.prove', {
  lock: () => 'proof',
  withSecrets: withPassword,
  async check(params, host) {
    await refuseUnready(host, params.target)
    const copy = hidden.makeHidden(host, await getSite(host, params.domain))
    return { ...proofOf(host, params, copy), began: host.clock.elapsed() }
  },
  async find(params, host) {
    const [copy] = await hidden.recordedHidden(host)
    return copy && { ...proofOf(host, params, copy), began: 0 }
  },
  steps: (job) => [
    ready(() => leftSteps(job.host)),
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

function proofOf(host: Host, { target, repository: name, password }: Params, copy: Site) {
  const opened = openedOf(host, { name, target, password }, copy.user)
  const at = new Date(host.clock.now()).toISOString()
  return { copy, opened, at, findings: new Findings() }
}

type Proof = Job<'backup.prove', ReturnType<typeof proofOf>>

const leftSteps = async (host: Host): Promise<Step[]> =>
  (await hidden.recordedHidden(host)).map((left, at) => ({
    ...hidden.removingStep(host, left, `left ${at}`),
    title: 'Removing the hidden site of an interrupted proof',
  }))

function stepsOf(proof: Proof): Step[] {
  const { host, copy, opened, gives } = proof
  const files = openFiles(host, opened.repository, copy.user)
  const reads = [run('program', 'restic'), create('folder', fetchedOf(copy.user))]
  return [
    ...hidden.makingSteps(host, copy),
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
      apply: () => reading(proof, (restored) => check.checkFiles(host, opened, restored)),
    },
    {
      name: 'dump',
      title: 'Restoring the database',
      effects: reads,
      apply: () => reading(proof, (restored) => check.checkDump(host, opened, restored)),
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, copy.user) },
    ...checkSteps(proof),
    hidden.removingStep(host, copy),
  ]
}

/** Undefined: a finding says why. Throws if the target cannot be used, or the disk is too full. */
async function readBackup({
  host,
  opened,
  params,
  findings,
}: Proof): Promise<Manifest | undefined> {
  if (!(await openRepository(host, opened, findings))) return undefined
  let manifest: Manifest
  try {
    manifest = await readManifest(host, opened, params.backup)
  } catch (failure) {
    await explain(host, opened, params.backup, { findings, failure })
    return undefined
  }
  await refuseLackOfSpace(host, opened, manifest)
  return manifest
}

/** Data that cannot be read is a finding, unless something else is the cause. */
async function* reading(
  { host, copy, opened, params, findings, get }: Proof,
  work: (restored: check.Restored) => Progress<void>,
): Progress<void> {
  const manifest = get(found)
  if (!manifest || findings.isOver) return
  try {
    yield* work({ copy, findings, manifest })
  } catch (failure) {
    await explain(host, opened, params.backup, { findings, failure })
  }
}

/** In the order in which they change the copy: the database is compared before it is used. */
const CHECKS = [
  ['database', 'Comparing the database', check.checkDatabase],
  ['boot', 'Starting WordPress', check.checkBoot],
  ['pages', 'Requesting pages', check.checkPages],
  ['core', 'Comparing the files of WordPress', check.compareCore],
] as const

const checkSteps = ({ host, copy, findings, get }: Proof): Step[] =>
  CHECKS.map(([name, title, work]) => ({
    name,
    title,
    effects: [],
    async apply() {
      const manifest = get(found)
      if (manifest && !findings.isOver) await work(host, { copy, findings, manifest })
    },
  }))
