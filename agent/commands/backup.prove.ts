import type { Host } from '#agent/host/ports.ts'
import { readManifest } from '#agent/os/backup/fetch.ts'
import type { Manifest } from '#agent/os/backup/manifest.ts'
import { fetchedOf } from '#agent/os/backup/places.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { create, run } from '#agent/os/effects/effects.ts'
import * as check from '#agent/os/proof/checks.ts'
import * as hidden from '#agent/os/proof/hidden-site.ts'
import { markProven } from '#agent/os/proof/mark.ts'
import { explain, openRepository, refuseLackOfSpace } from '#agent/os/proof/readable.ts'
import { Findings } from '#agent/os/proof/report.ts'
import { resticSteps } from '#agent/os/restic/program.ts'
import { type Opened, refuseUnready } from '#agent/os/restic/run.ts'
import { closeFiles, openedOf, openFiles, withPassword } from '#agent/os/restic/session.ts'
import { getSite, type Site } from '#agent/os/site/sites.ts'
import type { Command, Progress, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { messageOf } from '#shared/errors.ts'

type Params = ParamsOf<'backup.prove'>

/** What the operation finds out while it runs. */
interface Proof {
  params: Params
  site: Site
  copy: Site
  opened: Opened
  findings: Findings
  manifest?: Manifest
}

/**
 * One at a time; the live site is not touched. Findings about a backup are its result, and no
 * error.
 */
export const backupProve: Command<'backup.prove'> = {
  lock: () => 'proof',
  withSecrets: withPassword,
  async steps(_, host) {
    const [left] = await hidden.recordedHidden(host)
    return left ? hidden.makingSteps(host, left) : []
  },
  async plan(params, host) {
    const proof = await prepared(host, params)
    return [...(await preparing(host)), ...stepsOf(host, proof)]
  },
  async *run(params, { host, announce, perform, warn }) {
    const proof = await prepared(host, params)
    const steps = [...(await preparing(host)), ...stepsOf(host, proof)]
    const at = new Date(host.clock.now()).toISOString()
    const started = host.clock.elapsed()
    announce(steps)
    yield* perform(steps)
    const seconds = Math.round((host.clock.elapsed() - started) / 100) / 10
    const report = proof.findings.report({ backup: params.backup, at, seconds })
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
    return { domain: proof.site.domain, proof: report }
  },
}

async function prepared(host: Host, params: Params): Promise<Proof> {
  await refuseUnready(host, params.target)
  const site = await getSite(host, params.domain)
  const copy = hidden.makeHidden(host, site)
  const { target, repository: name, password } = params
  const opened = openedOf(host, { name, target, password }, copy.user)
  return { params, site, copy, opened, findings: new Findings() }
}

const preparing = async (host: Host): Promise<Step[]> => [
  ...(await hidden.recordedHidden(host)).map((left, at) => ({
    ...hidden.removingStep(host, left, `left ${at}`),
    title: 'Removing the hidden site of an interrupted proof',
  })),
  ...(await resticSteps(host)),
  ...(await mariadbSteps(host)),
]

function stepsOf(host: Host, proof: Proof): Step[] {
  const { copy, opened } = proof
  const files = openFiles(host, opened.repository, copy.user)
  const reads = [run('program', 'restic'), create('folder', fetchedOf(copy.user))]
  return [
    ...hidden.makingSteps(host, copy),
    {
      name: 'target',
      title: 'Connecting to the target',
      effects: files.effects,
      async apply() {
        await files.apply()
        await readBackup(host, proof)
      },
    },
    {
      name: 'files',
      title: 'Restoring the files',
      effects: reads,
      apply: () => reading(host, proof, (restored) => check.checkFiles(host, opened, restored)),
    },
    {
      name: 'dump',
      title: 'Restoring the database',
      effects: reads,
      apply: () => reading(host, proof, (restored) => check.checkDump(host, opened, restored)),
    },
    { name: 'close', title: 'Disconnecting from the target', ...closeFiles(host, copy.user) },
    ...checkSteps(host, proof),
    hidden.removingStep(host, copy),
  ]
}

/** Throws if the target cannot be used, or the disk is too full. */
async function readBackup(host: Host, proof: Proof): Promise<void> {
  const { opened, params, findings } = proof
  if (!(await openRepository(host, opened, findings))) return
  try {
    proof.manifest = await readManifest(host, opened, params.backup)
  } catch (failure) {
    return explain(host, opened, params.backup, { findings, failure })
  }
  await refuseLackOfSpace(host, opened, proof.manifest)
}

/** Data that cannot be read is a finding, unless something else is the cause. */
async function* reading(
  host: Host,
  proof: Proof,
  work: (restored: check.Restored) => Progress<void>,
): Progress<void> {
  const { manifest, opened, params, findings } = proof
  if (!manifest || findings.isOver) return
  try {
    yield* work({ ...proof, manifest })
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

const checkSteps = (host: Host, proof: Proof): Step[] =>
  CHECKS.map(([name, title, work]) => ({
    name,
    title,
    effects: [],
    async apply() {
      const { manifest, findings } = proof
      if (manifest && !findings.isOver) await work(host, { ...proof, manifest })
    },
  }))
