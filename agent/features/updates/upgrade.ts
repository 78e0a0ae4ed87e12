import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  APT_OPTIONS,
  READ_ONLY,
  repair,
  runApt,
  update,
  withApt,
} from '#agent/kernel/packages/apt.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { listsReadAt, pendingPackages } from './pending.ts'

type Scope = 'security' | 'all'

const HOUR_MS = 3_600_000
/** No update may remove a package that a site needs: apt then refuses. */
const SAFE = ['-y', '-q', '--no-install-recommends', '--no-remove']
const NAME = /^[a-z0-9][a-z0-9+.:-]*$/
/** A kernel or a large set of packages takes long on a slow disk. */
const LONG = { ...APT_OPTIONS, timeout_ms: 50 * 60_000 }

/** Updates the package lists if they are older than an hour. */
export async function* refreshLists(host: Host, most_ms = HOUR_MS): Progress<void> {
  const at = await listsReadAt(host)
  if (at !== null && Math.abs(host.clock.now() - at) < most_ms) return
  yield* withApt(host, () => update(host))
}

/** The step that installs pending updates; none without any. Throws apt's message. */
export async function upgradeSteps(host: Host, scope: Scope): Promise<Step[]> {
  const { packages, problem } = await pendingPackages(host)
  if (problem !== '') throw new Error(`apt cannot list the pending updates: ${problem}`)
  // Installed packages; apt adds their new dependencies.
  const names = packages
    .filter(({ security, installed }) => installed !== '' && (scope === 'all' || security))
    .map(({ name }) => name)
    .filter((name) => NAME.test(name))
  if (names.length === 0) return []
  const what = scope === 'security' ? 'security updates' : 'updates'
  const argv =
    scope === 'all'
      ? ['upgrade', '--with-new-pkgs', ...SAFE]
      : ['install', '--only-upgrade', ...SAFE, '--', ...names]
  return [
    {
      name: 'packages',
      title: `Installing ${what} of ${names.length === 1 ? names[0] : `${names.length} packages`}`,
      effects: () => simulatedUpgrade(host, argv),
      apply: () => upgrade(host, argv),
    },
  ]
}

/** The changes that apt would make. */
async function simulatedUpgrade(host: Host, argv: readonly string[]): Promise<Effect[]> {
  const { stdout } = await host.shell.run(['apt-get', ...READ_ONLY, '--simulate', ...argv])
  return [...stdout.matchAll(/^Inst (\S+)( \[)?/gm)].map(([, name = '', former]) =>
    former ? effects.change('package', name) : effects.create('package', name),
  )
}

const upgrade = (host: Host, argv: readonly string[]): Progress<void> =>
  withApt(host, async function* () {
    await repair(host)
    yield* runApt(host, argv, LONG)
  })
