import { expect } from 'bun:test'
import { long } from '#tests/support/runs.ts'
import { endDuring } from './checks.ts'
import { AGENT_KILLED, type Fault, RESTIC_KILLED } from './faults.ts'
import type { FaultyWorld } from './world.ts'

const CREATES = ['key list', 'init', 'key add']

/** At each of the restics that create a repository; outside of the long mode at one in each way. */
export async function expectEachCreated(world: FaultyWorld): Promise<void> {
  for (const words of long ? CREATES : ['init']) await expectCreated(world, words, RESTIC_KILLED)
  for (const words of long ? CREATES : ['key add']) await expectCreated(world, words, AGENT_KILLED)
}

/** A first backup during which something happens is absent, and the next one is complete. */
const expectCreated = (world: FaultyWorld, words: string, fault: Fault): Promise<void> =>
  interrupted(world, words, fault, async () => undefined)

/**
 * restic stores the first key of a repository, then its configuration: as if it was killed in
 * between, there is the key alone.
 */
export const expectHalfMade = (world: FaultyWorld): Promise<void> =>
  interrupted(world, 'key add', RESTIC_KILLED, (removeConfig) => removeConfig())

async function interrupted(
  world: FaultyWorld,
  words: string,
  fault: Fault,
  then: (removeConfig: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const { server, storage, saved } = world
  const { target, removeConfig, back } = await storage.emptied(saved.repository)
  const before = await world.everything()
  server.target = target
  await endDuring(world, words, world.create(), fault)
  await world.expectSame(words, before)
  await then(removeConfig)

  const { event, data } = await world.create()

  expect([words, event, data]).toEqual([words, 'complete', data])
  await world.expectSame(words, before)
  // The recovery kit, and whoever else has the password, opens it.
  const read = await world.keeperOf(target, 'snapshots', '--json', '--no-lock')
  expect([words, JSON.parse(read.stdout).length]).toEqual([words, 3])
  server.target = storage.target
  await back()
}
