import { parseArgs } from 'node:util'
import {
  AGENT_UNITS,
  draftOf,
  previousOf,
  writeVerdict,
} from '#agent/features/updates/upgrade/upgrade.ts'
import type { Config } from '#agent/kernel/config.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isHealthy } from '#agent/kernel/http/health.ts'
import { readUnits, writeUnits } from './units.ts'

const TIMEOUT_MS = 20_000
const UNITS_MS = 10_000
const PAUSE_MS = 500
/** The number of consecutive answers: a program that answers once and crashes is refused. */
const MIN_ANSWERS = 3

/**
 * `hosting-agent switch`, which `agent.upgrade` starts in its own unit: the new program replaces the
 * old one, with its own units, and is rolled back if it does not answer within 20 seconds.
 */
export async function switchOver(config: Config, host: Host, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { program: { type: 'string' }, sha256: { type: 'string' } },
  })
  const { program = '', sha256 = '' } = values
  const before = await readUnits(host.files)
  await host.files.rename(draftOf(program), program)
  await installNewUnits(config, host, program)
  await host.shell.try(['systemctl', 'restart', AGENT_UNITS])
  if (await answers(config, host)) {
    await writeVerdict(host, sha256, 'answers')
    return 'switched: the new version answers'
  }
  await rollBack(host, program, before)
  await writeVerdict(host, sha256, 'back')
  return 'rolled back: the new version did not answer'
}

async function answers(config: Config, { clock }: Host): Promise<boolean> {
  let row = 0
  for (const end = clock.elapsed() + TIMEOUT_MS; clock.elapsed() < end; ) {
    row = (await isHealthy(config)) ? row + 1 : 0
    if (row === MIN_ANSWERS) return true
    await clock.sleep(PAUSE_MS)
  }
  return false
}

/** Installs the units of the new version; a version without that command keeps them. */
async function installNewUnits(
  { state_dir }: Config,
  { shell }: Host,
  program: string,
): Promise<void> {
  const env = { AGENT_STATE_DIR: state_dir }
  await shell.try([program, 'units'], { env, timeout_ms: UNITS_MS })
  await shell.try(['systemctl', 'daemon-reload'])
}

/** Restores the former program; a hanging one may ignore SIGTERM. */
async function rollBack(
  { shell, files }: Host,
  program: string,
  units: Record<string, string>,
): Promise<void> {
  const copy = `${program}.back`
  await shell.run(['cp', '--preserve=mode', '--', previousOf(program), copy])
  await files.rename(copy, program)
  await writeUnits(files, units)
  await shell.try(['systemctl', 'daemon-reload'])
  await shell.try(['systemctl', 'kill', '--signal=SIGKILL', AGENT_UNITS])
  await shell.try(['systemctl', 'restart', AGENT_UNITS])
}
