import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { isNumbered, isTerminal, type StoredEvent } from '#shared/kernel/sse.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { reach } from '#tests/support/system/inside.ts'
import { configureAgent, startMachine } from '#tests/support/system/machine.ts'
import { provisioned } from '#tests/support/system/prepared.ts'
import { testProgram } from '#tests/support/system/test-program.ts'
import { CRASH_POINTS, type CrashPoint, STARTED } from './crash-point.ts'

const SOURCE = 'tests/support/system/sweep/crashing-agent.ts'

/** Files of an operation on the agent's disk after its end. */
export interface Ended {
  events: StoredEvent[]
  /** The number of records in its event file, with those of steps. */
  records: number
  /** Steps of the journal with their states, such as `user intent`. */
  journal: string[]
  /** From the last start of the agent to the terminal event. */
  recovery_ms: number
  /** How many points were reached. */
  met: number
}

/** A real server whose agent can crash at any record that it writes. */
export interface CrashingAgent {
  host: lab.Host
  /** Runs an operation to its end, however often the agent crashes. */
  run(command: string, params: object, points?: readonly CrashPoint[]): Promise<Ended>
  stop(): Promise<void>
}

interface Options {
  suite?: Suite
  /** Default: a provisioned server. */
  image?: Image
  /** The settings of the agent, by name. */
  settings?: Record<string, string>
}

export async function startCrashingAgent(
  name: string,
  { suite = 'bookworm', image, settings = {} }: Options = {},
): Promise<CrashingAgent> {
  const program = await testProgram(SOURCE)
  const mirror = await wordpressMirror()
  const host = await startMachine(
    { name, suite, init: 'systemd', image: image ?? (await provisioned(suite)) },
    { program, mirror },
  )
  await configureAgent(host, settings)
  // Debian's daily work would change files at midnight.
  await host.must(['systemctl', 'mask', '--now', 'dpkg-db-backup.timer', 'logrotate.timer'])
  const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
  const way = await reach(host.netns, join(folder, 'http.sock'), '127.0.0.1', 8443)
  let count = 0

  const begin = async (id: string, command: string, params: object) => {
    const response = await way.fetch('http://localhost/exec', {
      method: 'POST',
      headers: { 'content-type': 'application/json', [OPERATION_HEADER]: id },
      body: JSON.stringify({ command, params }),
    })
    if (response.status !== 200) throw new Error(`${command}: ${await response.text()}`)
    await response.body?.cancel()
  }

  return {
    host,
    async run(command, params, points = []) {
      count += 1
      const id = `sweep-${count}`
      if (points.length > 0) writeFileSync(`${host.root}${CRASH_POINTS}`, JSON.stringify(points))
      await lab.poll(() => answers(way), { every_ms: 10 })
      await begin(id, command, params).catch((error: unknown) => {
        if (points.length === 0) throw error
      })
      const met = await fulfilled(host, id, points)
      const awaited = `the end of ${command} ${id} with ${JSON.stringify(points)}`
      const ended = await lab.poll(() => endOf(host, id), { every_ms: 10, awaited })
      // After a crash at its last event it restarts.
      await lab.poll(() => answers(way), { every_ms: 10 })
      return { ...ended, met }
    },
    async stop() {
      await way.stop()
      rmSync(folder, { recursive: true })
      await lab.switchDown()
    },
  }
}

async function answers(way: Awaited<ReturnType<typeof reach>>): Promise<boolean> {
  const response = await way.fetch('http://localhost/health').catch(() => undefined)
  return response?.status === 200
}

/**
 * Waits until the agent has met its points, and returns how many it met. A stopped process takes the
 * whole server with it: a power failure.
 */
async function fulfilled(
  host: lab.Host,
  id: string,
  points: readonly CrashPoint[],
): Promise<number> {
  const file = `${host.root}${CRASH_POINTS}`
  const met = () => !existsSync(file) || endOf(host, id) !== undefined
  await lab.poll(met)
  const left: CrashPoint[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  rmSync(file, { force: true })
  // A rollback may have fewer records than the operation, and its last step fewer effects.
  if (left.length > 0 && left.length === points.length && !left[0]?.calls)
    throw new Error(`the operation ended before its point: ${JSON.stringify(points)}`)
  if (points.at(-1)?.how === 'SIGSTOP') {
    await host.powerOff()
    await host.start()
  }
  return points.length - left.length
}

function endOf(host: lab.Host, id: string): Omit<Ended, 'met'> | undefined {
  const folder = `${host.root}/var/lib/hosting-agent/operations/${id}`
  const history = linesOf<StoredEvent>(`${folder}/events.ndjson`)
  const events = history.filter(isNumbered)
  if (!events.some(isTerminal)) return undefined
  const { mtimeMs } = statSync(`${folder}/events.ndjson`)
  const journal = linesOf<{ step: string; state: string }>(`${folder}/journal.ndjson`)
  return {
    events,
    records: history.length,
    journal: journal.map(({ step, state }) => `${step} ${state}`),
    recovery_ms: Math.round(mtimeMs - Number(readFileSync(`${host.root}${STARTED}`, 'utf8'))),
  }
}

/** The complete lines of a file that is being written. */
function linesOf<T>(path: string): T[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as T]
      } catch {
        return []
      }
    })
}
