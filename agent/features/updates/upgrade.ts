import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  APT_OPTIONS,
  READ_ONLY,
  repairDpkg,
  runApt,
  update,
  withApt,
} from '#agent/kernel/packages/apt.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { listsReadAt, pendingPackages } from './pending-packages.ts'

type UpdateScope = 'security' | 'all'

const HOUR_MS = 3_600_000
/** The options that let apt refuse an update that removes a package. */
const SAFE_OPTIONS = ['-y', '-q', '--no-install-recommends', '--no-remove']
const NAME = /^[a-z0-9][a-z0-9+.:-]*$/
/** The options with a long time limit: a kernel takes long on a slow disk. */
const UPGRADE_OPTIONS = { ...APT_OPTIONS, timeout_ms: 50 * 60_000 }

/** Updates the package lists if they are older than an hour. */
export async function* refreshLists(host: Host, most_ms = HOUR_MS): Progress<void> {
  const at = await listsReadAt(host)
  if (at !== null && Math.abs(host.clock.now() - at) < most_ms) return
  yield* withApt(host, () => update(host))
}

/** Returns the step that installs pending updates; none without any. Throws apt's message. */
export async function upgradeSteps(host: Host, scope: UpdateScope): Promise<Step[]> {
  const { packages, problem } = await pendingPackages(host)
  if (problem !== '') throw new Error(`apt cannot list the pending updates: ${problem}`)
  // apt adds new dependencies of these installed packages.
  const names = packages
    .filter(({ security, installed }) => installed !== '' && (scope === 'all' || security))
    .map(({ name }) => name)
    .filter((name) => NAME.test(name))
  if (names.length === 0) return []
  const what = scope === 'security' ? 'security updates' : 'updates'
  const argv =
    scope === 'all'
      ? ['upgrade', '--with-new-pkgs', ...SAFE_OPTIONS]
      : ['install', '--only-upgrade', ...SAFE_OPTIONS, '--', ...names]
  return [
    {
      name: 'packages',
      title: `Installing ${what} of ${names.length === 1 ? names[0] : `${names.length} packages`}`,
      effects: () => simulatedUpgrade(host, argv),
      apply: () => upgrade(host, argv),
    },
  ]
}

/** Returns the changes that apt would make. */
async function simulatedUpgrade(host: Host, argv: readonly string[]): Promise<Effect[]> {
  const { stdout } = await host.shell.run(['apt-get', ...READ_ONLY, '--simulate', ...argv])
  return [...stdout.matchAll(/^Inst (\S+)( \[)?/gm)].map(([, name = '', former]) =>
    former ? effects.change('package', name) : effects.create('package', name),
  )
}

const upgrade = (host: Host, argv: readonly string[]): Progress<void> =>
  withApt(host, async function* () {
    await repairDpkg(host)
    yield* runApt(host, argv, UPGRADE_OPTIONS)
  })
