import { describe, expect, test } from 'bun:test'
import { commands } from '#agent/commands.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import { restorable } from '#tests/support/agent/backup.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { EVERYDAY, perform, stateOf } from '#tests/support/agent/everyday.ts'
import { fillAt, machineOf, withReserve } from '#tests/support/agent/full-disk.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { isWhole, points } from '#tests/support/runs.ts'

const { domain } = shop
const { params: restoring } = await restorable()
const FULL = /No space left on a disk of this server: free some space, and retry/

async function ready(site?: typeof shop) {
  const host = await server(site)
  host.pages.set(`http://${domain}/`, `<a href="http://${domain}/">`)
  return host
}

async function trashed() {
  const host = await ready(shop)
  await perform(host, 'site.delete', { domain })
  return host
}

async function suspended() {
  const host = await ready(shop)
  await perform(host, 'site.suspend', { domain })
  return host
}

const runnerOn = (host: FakeHost) => new Runner({ host, commands, report: () => undefined })

type Case<N extends CommandName> = [name: N, params: ParamsOf<N>, make: () => Promise<FakeHost>]
const cases = [
  ['site.create', shop, () => ready()],
  ['site.update', { domain, tier: 'large' }, () => ready(shop)],
  ['site.delete', { domain }, () => ready(shop)],
  ['site.restore', { domain }, trashed],
  ['site.resume', { domain }, suspended],
  ['backup.restore', restoring, async () => (await restorable()).host],
] as const satisfies Case<CommandName>[]

/** Everyday work, by its title. */
const WORK = [
  ...['a temporary user', 'Adminer', 'a suspended site', 'a login', 'a protected site'],
  ...['a relay of the server', 'a relay of the site'],
  'a certificate of an authority',
]
const everyday = EVERYDAY.filter(({ title }) => WORK.includes(title))

const endsOf = (kinds: string[]) => kinds.filter((kind) => kind !== 'log')

async function followed(runner: Runner, name: CommandName, params: object) {
  const kinds: string[] = []
  let message = ''
  const operation = await runner.start(name, params as ParamsOf<typeof name>, 'op1')
  for await (const { event, data } of operation.follow(0, new AbortController().signal)) {
    kinds.push(event)
    if (event === 'error') message = String(data.message)
  }
  return { ends: endsOf(kinds), message }
}

/** Its ends as reported and as stored, and the machine after space was freed. */
async function attempt(host: FakeHost, name: CommandName, params: object, from: number) {
  const disk = fillAt(host, from)
  const runner = runnerOn(host)
  const refused = (error: Error) => ({ ends: [] as string[], message: error.message })
  const outcome = await followed(runner, name, params).catch(refused)
  disk.full = false
  await Bun.sleep(0)
  await runner.settle()
  const stored = endsOf((await runner.store.events('op1')).map(({ event }) => event))
  return { met: disk.writes >= from, ...outcome, stored, machine: machineOf(host) }
}

describe.each([
  ['and no room is kept back', (host: FakeHost) => host],
  ['and some room is kept back', withReserve],
])('a disk that is full from any write on, %s,', (_, prepare) => {
  test.each(cases)(
    'leaves %s before or after, with one end',
    async (name, params, make) => {
      const before = machineOf(await make())
      const { machine: after } = await attempt(await make(), name, params, 0)
      const failed = { ends: ['error'], message: expect.stringMatching(FULL), machine: before }
      const refused = { ...failed, ends: [] }
      const outcomes = [{ ends: ['complete'], message: '', machine: after }, failed, refused]
      const seen = [0, 0, 0]
      for (const from of points()) {
        const host = prepare(await make())
        const { met, stored, ...rest } = await attempt(host, name, params, from)
        if (!met) break
        const kind = ['complete', 'error', undefined].indexOf(rest.ends[0])
        seen[kind] = (seen[kind] ?? 0) + 1
        expect([from, rest, stored]).toEqual([from, outcomes[kind] ?? rest, rest.ends])
        if (kind === 0) continue
        const [, again] = await perform(host, name, params)
        expect([from, typeof again]).toEqual([from, 'object'])
      }
      // A part of the sweep may have one end alone.
      if (isWhole) expect(Math.min(...seen.slice(0, 2))).toBeGreaterThan(2)
    },
    60_000,
  )

  test.each(everyday)(
    'ends $command ($title) once, done or undone, and it works with space',
    async ({ command, params, make }) => {
      const before = await stateOf(await make())
      const done = await make()
      await attempt(done, command, params, 0)
      const after = await stateOf(done)
      for (const from of points()) {
        const host = prepare(await make())
        const { met, stored, ends, message } = await attempt(host, command, params, from)
        if (!met) break
        const isDone = ends[0] === 'complete'
        const expected = isDone
          ? { message: '', stored: ends, state: after }
          : { message: expect.stringMatching(FULL), stored: ends, state: before }
        const seen = { message, stored, state: await stateOf(host) }
        expect([from, seen]).toEqual([from, expected])
        if (!isDone) await perform(host, command, params)
        expect([from, await stateOf(host)]).toEqual([from, after])
      }
      expect(everyday).toHaveLength(WORK.length)
    },
    60_000,
  )
})
