import { exclusiveByName } from '#agent/host/exclusive.ts'
import type { Host } from '#agent/host/ports.ts'
import { sharedByName } from '#agent/host/shared.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const ACTIONS = ['write', 'append', 'remove', 'rename', 'mkdir', 'link'] as const

/** The machine for a process that is killed at its n-th effect: it has none any more, and waits. */
export function killedAt(host: FakeHost, at: number) {
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
    shared: sharedByName(),
    holders: new Map(),
  }
  return { process, killed }
}
