import { expect, test } from 'bun:test'
import { backupCheck } from '#agent/features/backups/backup.check.ts'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import { backupProve } from '#agent/features/backups/backup.prove.ts'
import { backupRestore } from '#agent/features/backups/backup.restore.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { dashboard, kit, NONE, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, shop } from '#tests/support/agent/debian.ts'
import { hiddenOn, provableSite } from '#tests/support/agent/proof.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const RESTIC = '/var/lib/hosting-agent/bin/restic'
const ENDED = { code: 128, stdout: '', stderr: '' }
const SAVING = {
  ...{ domain: shop.domain, target: TARGET, repository: shop.user },
  ...{ dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey, password: NONE },
}

/** From the n-th restic on, each one waits for the network until it is ended. */
function cutAt(host: FakeHost, at: number): { restics: number; heal(): void } {
  const { try: attempt, stream } = host.shell
  const network = {
    restics: 0,
    heal: () => void Object.assign(host.shell, { try: attempt, stream }),
  }
  const isCut = ([program]: readonly string[]) => program === RESTIC && ++network.restics >= at
  host.shell.try = async (argv, options) => {
    if (!isCut(argv)) return attempt(argv, options)
    host.time += options?.timeout_ms ?? 0
    return ENDED
  }
  host.shell.stream = async function* (argv, options) {
    if (!isCut(argv)) return yield* stream(argv, options)
    host.signals.length = 0
    while (!host.signals.includes('SIGKILL op')) {
      yield '{"message_type":"status","bytes_done":5}'
      host.time += SETTINGS.restic_stall_ms / 5
    }
    throw new CommandFailed(argv, ENDED)
  }
  return network
}

async function made() {
  const { host, params } = await provableSite()
  Object.assign(host, { operation: 'op' })
  const parts = { files: true, database: true }
  const commands = {
    'backup.create': () => backupCreate.run(SAVING, contextOf(host)),
    'backup.restore': () => backupRestore.run({ ...params, parts }, contextOf(host)),
    'backup.prove': () => backupProve.run(params, contextOf(host)),
    'backup.check': () => backupCheck.run({ target: TARGET }, contextOf(host)),
  }
  return { host, commands }
}

const endOf = (work: Progress<object>) =>
  Array.fromAsync(work).then(
    () => 'complete',
    (error: unknown) => Object(error).refusal ?? error,
  )

/** Secrets of a target, hidden sites, the page of the site, and the last call for its jobs. */
const stateOf = (host: FakeHost) => ({
  open: Object.keys(host.disk.all).filter((path) => /\/(open|saving)$/.test(path)),
  hidden: hiddenOn(host),
  page: host.disk.text('/srv/www/shop/public/page.html'),
  jobs: host.ran.filter((line) => line.endsWith('hosting-cron@shop.timer')).at(-1) ?? 'unchanged',
})

const AWAY = 'target_unreachable'

test.each([
  // Only the list of what is in the repository is missing.
  ['backup.create', [AWAY, AWAY, AWAY, AWAY, 'complete']],
  ['backup.restore', [AWAY, AWAY, AWAY]],
  ['backup.prove', [AWAY, AWAY, AWAY, AWAY, AWAY, 'complete']],
  ['backup.check', [AWAY, AWAY, AWAY, AWAY, AWAY, AWAY]],
] as const)('%s ends when the network is cut for ever, and works after that', async (name, all) => {
  const ends: unknown[] = []
  for (let at = 1; ; at++) {
    const { host, commands } = await made()
    const [before, started] = [stateOf(host), host.time]
    const network = cutAt(host, at)

    const end = await endOf(commands[name]())

    if (network.restics < at) break
    ends.push(end)
    const { jobs, ...after } = stateOf(host)
    expect({ ...before, ...after }).toEqual(before)
    expect(jobs).toMatch(/^(unchanged|systemctl start hosting-cron@shop.timer)$/)
    expect(host.time - started).toBeLessThan(2 * 60 * 60_000)
    network.heal()
    expect([at, await endOf(commands[name]())]).toEqual([at, 'complete'])
  }
  expect(ends).toEqual([...all])
})
