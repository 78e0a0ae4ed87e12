import { z } from 'zod'
import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { propertiesOf } from '#agent/kernel/services/systemd.ts'
import { SETTINGS_FILE } from '#agent/kernel/settings-path.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** A pattern for every unit of the agent, except the transient one that restarts them. */
export const AGENT_UNITS = 'hosting-agent*.service'
const VERSION_MS = 20_000
/** The maximum size of the executable, which has about 100 MB. */
const MAX_BUILD = 256 << 20

const UpgradeVerdict = z.object({ sha256: z.string(), verdict: z.enum(['answers', 'back']) })
type UpgradeVerdict = z.infer<typeof UpgradeVerdict>['verdict']

export const draftOf = (program: string) => `${program}.new`
export const previousOf = (program: string) => `${program}.previous`
const verdictPath = (state_dir: string) => `${state_dir}/upgrade.json`

/** Returns the executable that the agent's service starts. Throws conflict without one. */
export async function programOf(host: Host): Promise<string> {
  const unit = 'hosting-agent.service'
  const { ExecStart = '' } = (await propertiesOf(host, [unit], ['ExecStart'])).get(unit) ?? {}
  const path = /\bpath=(\/\S+) ;/.exec(ExecStart)?.[1]
  if (path) return path
  throw conflict('The agent does not run as a service of systemd: replace it by hand')
}

interface Build {
  url: string
  sha256: string
}

/**
 * Stores the build beside the program, ready to run. Removes it again if it differs from the
 * requested one, or does not run on this machine.
 */
export const fetched = (host: Host, build: Build, program: string) => ({
  effects: [effects.run('download', build.url), effects.create('file', draftOf(program))],
  async *apply(): Progress<void> {
    yield await fetchBuild(host, build, program)
  },
  undo: () => host.files.remove(draftOf(program)),
})

/** Returns its log line. */
async function fetchBuild(host: Host, { url, sha256 }: Build, program: string): Promise<string> {
  const draft = draftOf(program)
  try {
    const limits = { gunzip: true, most: MAX_BUILD }
    const found = await host.net.download(url, draft, 'sha256', limits)
    if (found !== sha256) throw new Error('The build is not the requested one')
    await host.shell.run(['chmod', '755', draft])
    const options = { unconfined: true, timeout_ms: VERSION_MS }
    const version = await host.shell.run([draft, 'version'], options)
    return `It is version ${version.stdout.trim().slice(0, 64)}`
  } catch (error) {
    await host.files.remove(draft)
    throw error
  }
}

/** The effects are those of a successful switch. */
export const switched = (host: Host, program: string, sha256: string): Change => ({
  effects: async () => [
    effects.remove('file', draftOf(program)),
    effects.change('file', program),
    await effects.replacementOf(host, previousOf(program)),
    await effects.replacementOf(host, verdictPath(host.settings.state_dir)),
    effects.run('program', `${program} units`),
    effects.run('reload', 'systemd'),
    effects.run('restart', AGENT_UNITS),
  ],
  apply: () => startSwitch(host, program, sha256),
})

/**
 * Starts a separate unit, because it outlives the agent that it restarts. It runs the present
 * program, which works, and which stays as `<program>.previous`.
 */
async function startSwitch(host: Host, program: string, sha256: string): Promise<void> {
  const { state_dir } = host.settings
  await host.files.remove(verdictPath(state_dir))
  // Outside of the sandbox, whose mount of the program no link can leave.
  await host.shell.run(['ln', '--force', program, previousOf(program)], { unconfined: true })
  await host.shell.run([
    'systemd-run',
    '--quiet',
    '--collect',
    '--unit=hosting-upgrade',
    `--property=EnvironmentFile=-${SETTINGS_FILE}`,
    '--property=MemoryMax=512M',
    '--property=TasksMax=128',
    `--setenv=AGENT_STATE_DIR=${state_dir}`,
    '--',
    'env',
    previousOf(program),
    'switch',
    '--program',
    program,
    '--sha256',
    sha256,
  ])
}

export async function writeVerdict(
  host: Host,
  sha256: string,
  verdict: UpgradeVerdict,
): Promise<void> {
  const text = JSON.stringify({ sha256, verdict })
  await host.files.write(verdictPath(host.settings.state_dir), `${text}\n`, { mode: 0o600 })
}

/** Returns the result of the switch to this build; undefined while it runs. */
export async function findVerdict(host: Host, sha256: string): Promise<UpgradeVerdict | undefined> {
  const text = await host.files.read(verdictPath(host.settings.state_dir))
  const found = text === undefined ? undefined : UpgradeVerdict.parse(JSON.parse(text))
  return found?.sha256 === sha256 ? found.verdict : undefined
}
