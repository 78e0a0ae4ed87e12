import { expect } from 'bun:test'
import { S3_PORT } from '#tests/support/storage/ceph.ts'
import { MovedClock } from '#tests/support/storage/moved-clock.ts'
import { listening } from '#tests/support/storage/service.ts'
import { during } from './moment.ts'
import type { FaultyWorld } from './world.ts'

const HOUR = 3600
const WORDS =
  /^The (clock of this server and the storage do not agree on the time: |storage refused this server: .*clock of this server)/

/**
 * While one of these restics runs, the clock of the storage becomes one hour ahead of the server's.
 * S3 then refuses all requests; nothing has changed, and everything works with the same time again.
 */
export async function expectSkewed(
  world: FaultyWorld,
  saves: readonly string[],
  fetches: readonly string[],
): Promise<void> {
  const { server, storage, impatient } = world
  const clock = await MovedClock.on(storage.host)
  await clock.ofService(storage.service)
  await listening(storage.host, storage.service, S3_PORT)
  world.renewed()
  const [before, had] = [await world.everything(), await world.manifests()]
  const works = [
    ...saves.map((words) => ({ words, work: impatient.create })),
    ...fetches.map((words) => ({ words, work: impatient.restore })),
  ]
  for (const { words, work } of works) {
    const { event, data } = await during(server.host, words, work(), () => clock.move(HOUR))
    await clock.move(0)
    expect([words, event, data.message]).toEqual([words, 'error', expect.stringMatching(WORDS)])
    await world.expectSame(words, before)
  }
  expect(await world.manifests()).toEqual(had)
  expect(await world.create()).toMatchObject({ event: 'complete' })
}
