import { ADMIN_STATEMENTS } from '#agent/kernel/host/admin-statements.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { points } from '#tests/support/runs.ts'

type Disk = Record<string, string | null>

/** Fails the n-th effect on the machine, once; returns the number of effects so far. */
function failAt(host: FakeHost, at: number): () => { calls: number; fault: string } {
  const seen = { calls: 0, fault: '' }
  const note = (what: string) => {
    seen.calls += 1
    if (seen.calls !== at) return
    seen.fault = what
    throw new Error('injected fault')
  }
  const { run, try: attempt } = host.shell
  const { admin } = host.database
  host.disk.guard = note
  host.shell.run = async (argv, options) => {
    note(argv.join(' '))
    return run(argv, options)
  }
  host.shell.try = async (argv, options) => {
    note(argv.join(' '))
    return attempt(argv, options)
  }
  host.database.admin = async (statement, values) => {
    note(ADMIN_STATEMENTS[statement])
    return admin(statement, values)
  }
  return () => seen
}

/**
 * Runs the work once for each of its effects, which fails, and compares the machine afterwards: its
 * disk with that before, the result of the work, and the failed effect. Returns their number. In the
 * gate every fifth effect fails, and in a quick run every tenth.
 */
export async function eachFault<T>(
  make: () => Promise<FakeHost>,
  work: (host: FakeHost) => Promise<T>,
  look: (host: FakeHost, before: Disk, result: T, fault: string) => Promise<void>,
): Promise<number> {
  let effects = 0
  for (const at of points()) {
    const host = await make()
    const before = settled(host)
    const seen = failAt(host, at)
    const result = await work(host)
    const { fault, calls } = seen()
    effects = calls
    if (fault === '') break
    await look(host, before, result, `${at} ${fault}`)
  }
  return effects
}

/** Looks as `eachFault` does, at the failures of a command alone; returns the number of those. */
export async function eachFailure(
  make: () => Promise<FakeHost>,
  work: (host: FakeHost) => Promise<[string[], object | string]>,
  look: (host: FakeHost, fault: string, before: Disk) => Promise<void>,
): Promise<number> {
  let failed = 0
  await eachFault(make, work, async (host, before, [, result], fault) => {
    if (typeof result !== 'string') return
    failed += 1
    await look(host, fault, before)
  })
  return failed
}

/** With the folders of the agent that stay when they are empty. */
function settled({ disk }: FakeHost): Disk {
  for (const path of ['/srv/www/.trash', '/var/lib/hosting-agent/trash'])
    disk.putFolder(path, disk.find(path)?.options ?? { mode: 0o700 })
  return disk.all
}
