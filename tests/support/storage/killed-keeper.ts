import { type Host, poll } from '#tests/support/lab/index.ts'
import { documentedUnits } from './history.ts'

const UNIT = 'hosting-keeper.service'

/** When a run is killed: its prune holds the lock, writes packs again, or has written a new index. */
export const MOMENTS = {
  locked: '[ -n "$(ls "$0/locks")" ]',
  repacking: '[ "$(find "$0/data" -type f | wc -l)" -gt "$packs" ]',
  indexed: '[ "$(ls "$0/index")" != "$index" ]',
} as const

/** The prune runs for moments, and stands still while its files are looked at. */
const KILL = (moment: string) => `set -u
packs=$(find "$0/data" -type f | wc -l) index=$(ls "$0/index")
systemctl start --no-block ${UNIT}
prune() { pgrep -n -f '[r]estic.* prune'; }
until pid=$(prune); do [ "$SECONDS" -lt 60 ] || exit 1; done
until ${moment}; do
  [ "$SECONDS" -lt 120 ] || exit 1
  kill -CONT "$pid"
  sleep 0.001
  kill -STOP "$pid" && pid=$(prune) || exit 1
done
systemctl kill --signal=KILL ${UNIT}`

/** The documented units, with which a killed keeper starts again after a second. */
export async function installUnits(host: Host, store: string): Promise<void> {
  for (const [name, text] of await documentedUnits(store)) {
    const quick = text.replace('RestartSec=1min', 'RestartSec=1s')
    await host.put(`/etc/systemd/system/${name}`, quick)
  }
  await host.must(['systemctl', 'daemon-reload'])
}

/**
 * Starts the keeper, and kills it and its restic at a moment of its work on a repository. False if
 * the work ended first.
 */
export async function killAt(
  host: Host,
  repository: string,
  moment: keyof typeof MOMENTS,
): Promise<boolean> {
  await host.must(['systemctl', 'reset-failed'])
  const { code } = await host.exec(['bash', '-c', KILL(MOMENTS[moment]), repository])
  return code === 0
}

const show = async (host: Host, property: string) =>
  (await host.must(['systemctl', 'show', '--value', '--property', property, UNIT])).trim()

/** Nothing starts it again; returns how its last run ended. */
export async function stopped(host: Host): Promise<string> {
  await poll(async () => (await show(host, 'Result')) !== 'success', { timeout_ms: 10_000 })
  const result = await show(host, 'Result')
  await host.must(['systemctl', 'stop', UNIT])
  return result
}

/** Waits for the end of the run. */
export async function ended(host: Host): Promise<string> {
  const ends = async () => (await show(host, 'ActiveState')) === 'inactive'
  await poll(ends, { timeout_ms: 60_000 })
  return show(host, 'Result')
}

/** Waits for the end of the run that systemd starts. */
export async function endOfRestart(host: Host): Promise<string> {
  const ends = async () =>
    (await show(host, 'NRestarts')) !== '0' && (await show(host, 'ActiveState')) === 'inactive'
  await poll(ends, { timeout_ms: 60_000 })
  return show(host, 'Result')
}
