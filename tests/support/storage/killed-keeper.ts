import { type Host, poll } from '#tests/support/lab/index.ts'
import { installMore } from '#tests/support/lab/install-more.ts'
import { documentedUnits } from './history.ts'

const UNIT = 'hosting-keeper.service'
const HOLD = `/etc/systemd/system/${UNIT}.d/hold.conf`

/** When a run is killed: its prune holds the lock, or writes packs again. */
const MOMENTS = {
  locked: '[ -n "$(ls "$0/locks")" ]',
  repacking: '[ "$(find "$0/data" -type f | wc -l)" -gt "$packs" ]',
} as const

/**
 * The prune runs for moments, and stands still while its files are looked at. It gets a hundredth of a
 * processor: on a busy machine a moment may last longer than the whole prune would take.
 */
const KILL = (moment: string) => `set -u
packs=$(find "$0/data" -type f | wc -l)
systemctl reset-failed
systemctl set-property --runtime ${UNIT} CPUQuota=10%
systemctl start --no-block ${UNIT}
prune() { pgrep -n -f '[r]estic.* prune'; }
until pid=$(prune) && kill -STOP "$pid"; do [ "$SECONDS" -lt 60 ] || exit 1; done
systemctl set-property --runtime ${UNIT} CPUQuota=1%
until ${moment}; do
  [ "$SECONDS" -lt 120 ] || exit 1
  kill -CONT "$pid"
  sleep 0.001
  kill -STOP "$pid" && pid=$(prune) || exit 1
done
systemctl kill --signal=KILL ${UNIT}
systemctl set-property --runtime ${UNIT} CPUQuota=`

/**
 * A run whose programs stand still before they delete one of these files, and all end with strace(1).
 * Deletions of drafts and of other files pass.
 */
const held = (files: readonly string[]) => `[Service]
ExecStart=
ExecStart=/usr/bin/strace --follow-forks --kill-on-exit --output=/dev/null ${files.map((file) => `--trace-path=${file}`).join(' ')} --trace=unlink,unlinkat --inject=unlink,unlinkat:delay_enter=600s /usr/local/bin/hosting-agent keeper run
`

/** Former indexes are deleted when the new one is complete: its draft has another name. */
const KILL_HELD = `set -u
indexes() { ls "$0/index" | grep -cx '[0-9a-f]*'; }
former=$(indexes)
systemctl daemon-reload
systemctl reset-failed
systemctl start --no-block ${UNIT}
until [ "$(indexes)" -gt "$former" ]; do [ "$SECONDS" -lt 120 ] || exit 1; sleep 0.1; done
rm ${HOLD}
systemctl daemon-reload
systemctl kill --signal=KILL ${UNIT}`

/** The documented units, with which a killed keeper starts again after a second. */
export async function installUnits(host: Host, store: string): Promise<void> {
  for (const [name, text] of await documentedUnits(store)) {
    const quick = text.replace('RestartSec=1min', 'RestartSec=1s')
    await host.put(`/etc/systemd/system/${name}`, quick)
  }
  await host.must(['systemctl', 'daemon-reload'])
}

/** Starts the keeper, and kills it and its restic at a moment of its prune of a repository. */
export const killAt = (host: Host, repository: string, moment: keyof typeof MOMENTS) =>
  host.must(['bash', '-c', KILL(MOMENTS[moment]), repository])

/**
 * The same when its prune has written a new index, and has deleted nothing yet. Returns how the run
 * ends that systemd starts then.
 */
export async function killBeforeDeletion(host: Host, repository: string): Promise<string> {
  await installMore(host, 'trixie', ['strace'])
  const indexes = (await host.must(['find', `${repository}/index`, '-type', 'f'])).trim()
  await host.put(HOLD, held(indexes.split('\n')))
  const since = await host.must(['journalctl', '--quiet', '--lines=0', '--show-cursor'])
  await host.must(['bash', '-c', KILL_HELD, repository])
  return endOfRestart(host, since.replace('-- cursor: ', '').trim())
}

/** Starts a run, and kills it when it has come to a moment. */
export async function killWhen(host: Host, moment: () => Promise<unknown>): Promise<string> {
  await host.must(['systemctl', 'reset-failed'])
  await host.must(['systemctl', 'start', '--no-block', UNIT])
  await moment()
  await host.must(['systemctl', 'kill', '--signal=KILL', UNIT])
  return stopped(host)
}

const show = async (host: Host, property: string) =>
  (await host.must(['systemctl', 'show', '--value', '--property', property, UNIT])).trim()

/** Nothing starts it again; returns how its last run ended. */
export async function stopped(host: Host): Promise<string> {
  await poll(async () => (await show(host, 'Result')) !== 'success')
  const result = await show(host, 'Result')
  await host.must(['systemctl', 'stop', UNIT])
  return result
}

/** The messages of systemd (sd-messages.h): it starts a unit again, which ends well, or not. */
const RESTARTS = '5eb03494b6584870a536b337290809b3'
const SUCCEEDS = '7ad2d189f7e94e70a38c781354912448'
const FAILS = 'd9b373ed55a64feb8242e02dbe79a49c'

/**
 * Waits for the end of the run that systemd starts after a failure, in the journal since a cursor:
 * a unit that has ended well is unloaded, and its properties are those of one that never ran.
 */
async function endOfRestart(host: Host, cursor: string): Promise<string> {
  const fields = '--output-fields=MESSAGE_ID,UNIT_RESULT'
  const read = ['journalctl', '--quiet', `--unit=${UNIT}`, '--output=json', fields]
  let end: { MESSAGE_ID?: string; UNIT_RESULT?: string } | undefined
  await poll(async () => {
    const text = await host.must([...read, `--after-cursor=${cursor}`])
    const lines = text.split('\n').filter((line) => line !== '')
    const entries: NonNullable<typeof end>[] = lines.map((line) => JSON.parse(line))
    const restart = entries.findIndex((entry) => entry.MESSAGE_ID === RESTARTS)
    const after = restart < 0 ? [] : entries.slice(restart)
    end = after.find(({ MESSAGE_ID }) => MESSAGE_ID === SUCCEEDS || MESSAGE_ID === FAILS)
    return end !== undefined
  })
  return end?.MESSAGE_ID === SUCCEEDS ? 'success' : String(end?.UNIT_RESULT)
}
