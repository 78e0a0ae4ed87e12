import { DebugWatch } from './debug-watch.ts'
import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import { ExpiryWatch } from './os/access/expiry.ts'
import type { FoundMonitor } from './os/health/found/monitor.ts'
import type { HealthMonitor } from './os/health/monitor.ts'
import { Rotation } from './os/logs/rotate.ts'
import type { NumbersCollector } from './os/numbers/collector.ts'
import { Sleeper } from './os/php/fpm-sleep.ts'
import { measureDue } from './os/usage/measure-due.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS

/** After a start, the agent first has to answer requests. */
const FIRST_MS = { health: SECOND_MS, usage: 5 * SECOND_MS }
/** Together with the interval of the dashboard, a broken site is shown within a minute. */
const LOOK_MS = 12 * SECOND_MS
const VISIT_MS = 5 * SECOND_MS
const JITTER_MS = 3 * SECOND_MS
const ROTATE_MS = 5 * MINUTE_MS

interface Rounds {
  own: HealthMonitor
  found: FoundMonitor
  numbers: NumbersCollector
  /** Frees memory of requests that have ended. */
  expire(): void
  /** Records the logins to sites before the journal may lose them. */
  keepLogins(): Promise<void>
}

/** What the agent repeats for ever: each round has its own pace, and delays no other one. */
export function startRounds(
  host: Host,
  runner: Runner,
  { own, found, numbers, expire, keepLogins }: Rounds,
  report: (error: unknown) => void,
): void {
  const { clock, random } = host
  const sleeper = new Sleeper()
  const expiries = new ExpiryWatch()
  const rotation = new Rotation()
  const debug_logs = new DebugWatch()
  const forever = async (pause_ms: number, jitter_ms: number, work: () => Promise<void>) => {
    for (;;) {
      await work().catch(report)
      await clock.sleep(pause_ms + random.integer(jitter_ms))
    }
  }
  // Visits are separate: a hanging page delays nothing.
  void clock.sleep(FIRST_MS.health).then(() => {
    void forever(LOOK_MS, JITTER_MS, () => own.look())
    void forever(VISIT_MS, JITTER_MS, () => own.visit(found.size))
    void forever(VISIT_MS, JITTER_MS, () => found.visit(own.size))
  })
  // The disk use of each site every six hours, and of a new one within two minutes.
  void clock
    .sleep(FIRST_MS.usage + random.integer(FIRST_MS.usage))
    .then(() => forever(MINUTE_MS, MINUTE_MS, () => measureDue(host, report)))
  // Sites without visitors: a restart of the agent restarts their idle time.
  void forever(MINUTE_MS, 1, () => sleeper.look(host, report))
  void forever(MINUTE_MS / 2, 1, () => expiries.look(host))
  void forever(MINUTE_MS, 1, async () => expire())
  void forever(MINUTE_MS, 1, keepLogins)
  void forever(MINUTE_MS / 2, 1, () => debug_logs.look(host, runner, report))
  // A moment after each minute has ended, before dashboards ask.
  const untilMinute = () => MINUTE_MS - (clock.now() % MINUTE_MS) + SECOND_MS
  void clock.sleep(untilMinute()).then(async () => {
    for (;;) {
      await numbers.collect(report).catch(report)
      await clock.sleep(untilMinute())
    }
  })
  // Logs in the folders of sites, and those that grow too fast for the daily rotation.
  void forever(ROTATE_MS, MINUTE_MS, () => rotation.look(host, report))
  // Disk space for a full disk, and the undo of operations that a full disk stopped.
  void forever(MINUTE_MS / 2, 1, async () => {
    await runner.store.reserve.keep().catch(report)
    await runner.settle()
  })
}
