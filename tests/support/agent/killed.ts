import { commands } from '#agent/commands.ts'
import { exclusiveByName } from '#agent/kernel/host/exclusive-by-name.ts'
import { limitedByName } from '#agent/kernel/host/limited-by-name.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const ACTIONS = ['write', 'append', 'remove', 'rename', 'mkdir', 'link'] as const

/** The machine for a process that is killed at its n-th effect: it has none any more, and waits. */
function killedAt(host: FakeHost, at: number) {
  const { promise: killed, resolve: kill } = Promise.withResolvers<true>()
  const seen = { calls: 0 }
  const never = () => new Promise<never>(() => undefined)
  const alive = <A extends unknown[], R>(act: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => {
      seen.calls += 1
      if (seen.calls >= at) kill(true)
      return seen.calls >= at ? never() : act(...args)
    }
  }
  const { files, shell, database, clock } = host
  const acting = ACTIONS.map((name) => [name, alive(files[name].bind(files) as typeof files.write)])
  const looking = (['read', 'list', 'stat', 'space'] as const).map((name) => [
    ...[name, (files[name] as typeof files.read).bind(files)],
  ])
  const process: Host = {
    ...host,
    files: Object.fromEntries([...acting, ...looking]) as unknown as Host['files'],
    shell: { ...shell, run: alive(shell.run), try: alive(shell.try) },
    database: { admin: alive(database.admin) },
    clock: { ...clock, sleep: (ms: number) => (seen.calls >= at ? never() : clock.sleep(ms)) },
    exclusive: exclusiveByName(),
    shared: limitedByName(),
    holders: new Map(),
    unlimited: new Map(),
  }
  return { process, killed }
}

/** Runs the command as op1 until its process is killed at the n-th effect; false: it had fewer. */
export async function isKilledAt<N extends CommandName>(
  at: number,
  host: FakeHost,
  command: N,
  params: ParamsOf<N>,
): Promise<boolean> {
  const { process, killed } = killedAt(host, at)
  const runner = new Runner({ host: process, commands, report: () => undefined })
  const ended = runner.start(command, params, 'op1').then(async (operation) => {
    for await (const _ of operation.follow(0, new AbortController().signal));
    return false
  })
  return Promise.race([killed, ended])
}
