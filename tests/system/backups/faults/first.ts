import { expect } from 'bun:test'
import { long } from '#tests/support/runs.ts'
import {
  AGENT_KILLED,
  type Fault,
  RESTIC_KILLED,
} from '#tests/support/system/backup-faults/faults.ts'
import type { FaultyWorld } from '#tests/support/system/backup-faults/world.ts'
import { endDuring } from './checks.ts'

const CREATES = ['key list', 'init', 'key add']

/** At each of the restics that create a repository; outside of the long mode at one in each way. */
export async function expectEachCreated(world: FaultyWorld): Promise<void> {
  for (const words of long ? CREATES : ['init']) await expectCreated(world, words, RESTIC_KILLED)
  for (const words of long ? CREATES : ['key add']) await expectCreated(world, words, AGENT_KILLED)
}

/**
 * A first backup during which something happens is absent, and the next one is complete: in another
 * repository, if restic was creating that of the first one.
 */
async function expectCreated(world: FaultyWorld, words: string, fault: Fault): Promise<void> {
  const { server, storage, saved } = world
  const { target, back } = await storage.emptied(saved.repository)
  const before = await world.everything()
  server.target = target
  await endDuring(world, words, world.create(), fault)
  expect([words, await world.changes(before)]).toEqual([words, []])
  let repository = saved.repository
  if (words === 'init') {
    const { event, data } = await world.create()
    const message = `The creation of the repository ${repository} was interrupted`
    expect([event, data.message]).toEqual(['refused', expect.stringContaining(message)])
    repository = `${repository}-2`
  }

  const { event, data } = await world.create({ repository })

  expect([words, event, data]).toEqual([words, 'complete', data])
  expect([words, await world.changes(before)]).toEqual([words, []])
  // Whoever has the password opens it.
  const password = await world.passwordOf(repository)
  const read = await world.read(target, { repository, password })
  expect([words, read.length]).toEqual([words, 3])
  server.target = storage.target
  await back()
}
