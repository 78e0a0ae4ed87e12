import { type ReadingDeps, reading } from '#agent/kernel/calls/reading.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { keysReading, newKeysReading } from '#shared/servers/keys.readings.ts'

export const keys = reading(keysReading, async ({ rotation }) => there(rotation).known())

export const newKeys = reading(newKeysReading, async ({ rotation, params }) =>
  there(rotation).replace(params),
)

/** Unknown endpoints without authentication. */
function there(rotation: ReadingDeps['rotation']) {
  if (!rotation) throw notFound('Endpoint')
  return rotation
}
