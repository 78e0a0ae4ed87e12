import type { Host } from '#agent/host/ports.ts'
import { propertiesOf } from '#agent/os/services/systemd.ts'
import { conflict } from '#shared/errors.ts'
import type { LastRun } from '#shared/site-jobs.ts'
import { runsOfUnit, type UnitRun } from './journal.ts'
import { outputOf } from './own.ts'

const POLL_MS = 1000
const GRACE_MS = 60_000
const RUNNING = ['activating', 'active', 'deactivating']

/** Starts the unit of a job and yields what it prints, until it ends; returns the run. */
export async function* startJob(
  host: Host,
  unit: string,
  minutes: number,
): AsyncGenerator<string, LastRun> {
  const former = (await runsOfUnit(host, unit))[0]?.id
  const started = { ended: false }
  const timeout_ms = minutes * 60_000 + GRACE_MS
  const ending = host.shell.try(['systemctl', 'start', unit], { timeout_ms }).finally(() => {
    started.ended = true
  })
  ending.catch(() => undefined)
  const printed = new Printed(host, unit, former)
  while (!started.ended) {
    yield* await printed.news()
    await host.clock.sleep(POLL_MS)
  }
  const { code, stderr } = await ending
  await host.shell.try(['journalctl', '--sync'], { timeout_ms: GRACE_MS })
  yield* await printed.news()
  if (!printed.run) throw new Error(`The job did not start: ${stderr.trim() || code}`)
  return printed.run
}

/** Throws conflict for a job that its timer has started. */
export async function refuseRunning(host: Host, unit: string): Promise<void> {
  const state = (await propertiesOf(host, [unit], ['ActiveState'])).get(unit)?.ActiveState ?? ''
  if (RUNNING.includes(state)) throw conflict('The job is running: wait until it has ended')
}

/** The lines of the run that follows the former one: those that are new at each call. */
class Printed {
  run: UnitRun | undefined
  readonly #host: Host
  readonly #unit: string
  readonly #former: string | undefined
  #seen = 0

  constructor(host: Host, unit: string, former: string | undefined) {
    this.#host = host
    this.#unit = unit
    this.#former = former
  }

  async news(): Promise<string[]> {
    const [run] = await runsOfUnit(this.#host, this.#unit)
    if (!run || run.id === this.#former) return []
    this.run = run
    const text = await outputOf(this.#host, this.#unit, run)
    const lines = text === '' ? [] : text.split('\n')
    const news = lines.slice(this.#seen)
    this.#seen = Math.max(this.#seen, lines.length)
    return news
  }
}
